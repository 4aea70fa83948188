// Prints what GitHub's own parser has against actions and workflows, a line for each: validate.mjs FILE...
// A file counts as an action by its name action.yml, and as a workflow by its folder .github/workflows.
import {readFileSync} from "node:fs";
import {register} from "node:module";
import {pathToFileURL} from "node:url";

// The package is written for bundlers, which need not be told that a .json file is JSON.
const asJSON = `export async function load(url, context, next) {
  if (url.endsWith(".json")) context = {...context, importAttributes: {...context.importAttributes, type: "json"}};
  return next(url, context);
}`;
register("data:text/javascript," + encodeURIComponent(asJSON));
const {validate} = await import("@actions/languageservice/validate");
const {TextDocument} = await import("vscode-languageserver-textdocument");

for (const path of process.argv.slice(2)) {
  const document = TextDocument.create(pathToFileURL(path).href, "yaml", 1, readFileSync(path, "utf8"));
  for (const {range, message} of await validate(document)) {
    console.log(`${path}:${range.start.line + 1}: ${message}`);
  }
}
