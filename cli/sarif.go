package cli

import (
	"bytes"
	"fmt"
	"net/url"
	"os"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/workflow"
)

// sarifLog is as much of SARIF 2.1.0 as code scanning wants.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool    sarifTool     `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	InformationURI string      `json:"informationUri"`
	Version        string      `json:"version"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID    string    `json:"id"`
	Short sarifText `json:"shortDescription"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine int `json:"startLine"`
}

// writeSARIF writes what was violated for tools that show it. A violation that stays is the same result in each run:
// its fingerprint is the rule, the change and the commit.
func (a *app) writeSARIF(name string, r workflow.CheckResult) error {
	driver := sarifDriver{Name: "gh-agentd", InformationURI: "https://github.com/agentd/gh-agentd", Version: version(), Rules: []sarifRule{}}
	for _, rule := range phases.Rules() {
		driver.Rules = append(driver.Rules, sarifRule{ID: rule.Name, Short: sarifText{rule.Wants}})
	}
	results := []sarifResult{}
	for _, v := range r.Violations {
		at := sarifPhysical{Artifact: sarifArtifact{(&url.URL{Path: placeToShow(v)}).EscapedPath()}, Region: sarifRegion{StartLine: 1}}
		results = append(results, sarifResult{
			RuleID: v.Rule, Level: "error", Message: sarifText{v.Message + "\n" + a.named(v.Hint)},
			Locations:    []sarifLocation{{at}},
			Fingerprints: map[string]string{"agentd/v1": v.Rule + " " + v.Change + " " + v.Commit + " " + v.Path},
		})
	}
	var buf bytes.Buffer
	err := encodeJSON(&buf, sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{{Tool: sarifTool{driver}, Results: results}},
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(a.path(name), buf.Bytes(), 0o666); err != nil {
		return fmt.Errorf("--sarif: %w", err)
	}
	return nil
}
