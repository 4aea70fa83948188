package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCutDescription(t *testing.T) {
	const whole = `{"openapi":"3.0.3","info":{"title":"t","version":"1","description":"long","license":{"name":"MIT"}},
	"paths":{"/a":{"get":{"operationId":"a/get","description":"d","tags":["x"],"parameters":[{"$ref":"#/components/parameters/p"}],
		"responses":{"200":{"description":"d","content":{"application/json":{"schema":{"$ref":"#/components/schemas/one"},"examples":{"e":{}}}}}}},
		"put":{"operationId":"a/put","responses":{}}},"/b":{"get":{"operationId":"b/get","responses":{}}}},
	"components":{"parameters":{"p":{"name":"p","in":"query","schema":{"type":"string"},"description":"d"}},
		"schemas":{"one":{"title":"One","type":"object","properties":{"title":{"type":"string","example":"x"},"two":{"$ref":"#/components/schemas/two"}}},
		"two":{"type":"array","items":{"$ref":"#/components/schemas/one"},"x-y":1},"three":{"type":"null"}}}}`
	const want = `{"openapi":"3.0.3","info":{"title":"t","version":"1","license":{"name":"MIT"}},
	"paths":{"/a":{"get":{"operationId":"a/get","parameters":[{"$ref":"#/components/parameters/p"}],
		"responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/one"}}}}}}}},
	"components":{"parameters":{"p":{"name":"p","in":"query","schema":{"type":"string"}}},
		"schemas":{"one":{"type":"object","properties":{"title":{"type":"string"},"two":{"$ref":"#/components/schemas/two"}}},
		"two":{"type":"array","items":{"$ref":"#/components/schemas/one"}}}}}`
	got, err := cutDescription([]byte(whole), []string{"a/get"})
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b, a); diff != "" {
		t.Error(diff)
	}
	if _, err := cutDescription([]byte(whole), []string{"a/get", "c/get"}); err == nil {
		t.Error("an operation that does not exist is not missed")
	}
}

// What is checked in was cut by this code: cutting it again changes nothing.
func TestCutDescription_ofTheDescription(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(description)))
	if err != nil {
		t.Fatal(err)
	}
	again, err := cutDescription(data, operations)
	if err != nil {
		t.Fatal(err)
	}
	if string(again) != string(data) {
		t.Error("the description is not what `openapi` writes")
	}
}
