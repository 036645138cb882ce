// Asks a server for the flags of table.json with OpenFeature's provider for OFREP.
//
//	ofrep HOST KEY TABLE
//
// Prints what it was told, as lines of JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/open-feature/go-sdk-contrib/providers/ofrep"
	"github.com/open-feature/go-sdk/openfeature"
)

type table struct {
	Persons []struct {
		ID     string         `json:"id"`
		Groups map[string]any `json:"groups"`
	} `json:"persons"`
	Flags []struct {
		Key     string `json:"key"`
		Filters struct {
			Multivariate any `json:"multivariate"`
		} `json:"filters"`
	} `json:"flags"`
}

func main() {
	host, key := os.Args[1], os.Args[2]
	text, err := os.ReadFile(os.Args[3])
	check(err)
	var asked table
	check(json.Unmarshal(text, &asked))
	check(openfeature.SetProviderAndWait(ofrep.NewProvider(host, ofrep.WithBearerToken(key))))
	client := openfeature.NewDefaultClient()
	for _, person := range asked.Persons {
		about := openfeature.NewEvaluationContext(person.ID, map[string]any{"groups": person.Groups})
		for _, flag := range asked.Flags {
			var value any
			var details openfeature.EvaluationDetails
			// The error is told in the details too.
			if flag.Filters.Multivariate != nil {
				answer, _ := client.StringValueDetails(context.Background(), flag.Key, "default", about)
				value, details = answer.Value, answer.EvaluationDetails
			} else {
				answer, _ := client.BooleanValueDetails(context.Background(), flag.Key, true, about)
				value, details = answer.Value, answer.EvaluationDetails
			}
			line, err := json.Marshal(map[string]any{
				"from": "ofrep", "person": person.ID, "flag": flag.Key, "value": value,
				"variant": details.Variant, "reason": details.Reason, "error": details.ErrorCode,
			})
			check(err)
			fmt.Println(string(line))
		}
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
