// Tells a server the story of test/support/sdks/sdk-story.ts with posthog-go, and asks it for the flags of table.json.
//
//	posthog HOST TOKEN SECRET_KEY FEED_HOST TABLE STORY_TOKEN
//
// Prints what it sent and what it was told, as lines of JSON.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/posthog/posthog-go"
)

type table struct {
	Persons []struct {
		ID               string                        `json:"id"`
		Groups           posthog.Groups                `json:"groups"`
		PersonProperties posthog.Properties            `json:"person_properties"`
		GroupProperties  map[string]posthog.Properties `json:"group_properties"`
	} `json:"persons"`
	Flags []struct {
		Key string `json:"key"`
	} `json:"flags"`
}

var quiet = false

func main() {
	host, token, secretKey, feedHost := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	text, err := os.ReadFile(os.Args[5])
	check(err)
	var asked table
	check(json.Unmarshal(text, &asked))

	teller, err := posthog.NewWithConfig(os.Args[6], posthog.Config{Endpoint: host})
	check(err)
	tellStory(teller)
	check(teller.Close())

	remote, err := posthog.NewWithConfig(token, posthog.Config{Endpoint: host})
	check(err)
	for _, person := range asked.Persons {
		flags, err := remote.GetAllFlags(posthog.FeatureFlagPayloadNoKey{DistinctId: person.ID, Groups: person.Groups})
		check(err)
		for key, value := range flags {
			payload, err := remote.GetFeatureFlagPayload(posthog.FeatureFlagPayload{Key: key, DistinctId: person.ID, Groups: person.Groups})
			check(err)
			line := map[string]any{"from": "remote", "person": person.ID, "flag": key, "value": value, "payload": nil}
			if payload != "" {
				line["payload"] = json.RawMessage(payload)
			}
			told(line)
		}
	}
	check(remote.Close())

	local, err := posthog.NewWithConfig(token, posthog.Config{Endpoint: feedHost, PersonalApiKey: secretKey, Logger: silent{}})
	check(err)
	_, err = local.GetFeatureFlags()
	check(err)
	for _, person := range asked.Persons {
		for _, flag := range asked.Flags {
			value, err := local.GetFeatureFlag(posthog.FeatureFlagPayload{
				Key: flag.Key, DistinctId: person.ID, Groups: person.Groups, PersonProperties: person.PersonProperties,
				GroupProperties: person.GroupProperties, OnlyEvaluateLocally: true, SendFeatureFlagEvents: &quiet,
			})
			if err == nil && value != nil {
				told(map[string]any{"from": "local", "person": person.ID, "flag": flag.Key, "value": value})
			}
		}
	}
	check(local.Close())
}

func tellStory(client posthog.Client) {
	const anonymous, user, company = "visitor-1", "user-1", "acme"
	send := func(event, distinctID string, message posthog.Message) {
		check(client.Enqueue(message))
		told(map[string]any{"from": "story", "event": event, "distinct_id": distinctID})
	}
	capture := func(event, distinctID string, properties posthog.Properties, groups posthog.Groups) {
		send(event, distinctID, posthog.Capture{Event: event, DistinctId: distinctID, Properties: properties, Groups: groups})
	}
	capture("looked around", anonymous, nil, nil)
	capture("looked around", anonymous, nil, nil)
	send("$identify", user, posthog.Identify{DistinctId: user, Properties: posthog.Properties{"email": "ada@example.com", "plan": "free"}})
	capture("signed up", user, posthog.Properties{"$set_once": map[string]string{"first_seen": "monday"}}, nil)
	send("$create_alias", user, posthog.Alias{DistinctId: user, Alias: anonymous})
	capture("came back", anonymous, nil, nil)
	changes := posthog.Properties{"$set": map[string]string{"plan": "pro"}, "$set_once": map[string]string{"first_seen": "tuesday"}}
	capture("paid", user, changes, nil)
	send("$groupidentify", "$company_"+company, posthog.GroupIdentify{Type: "company", Key: company, Properties: posthog.Properties{"tier": "gold"}})
	capture("invited", user, nil, posthog.Groups{"company": company})
	// It puts no two events in an order that were sent within a moment.
	time.Sleep(time.Millisecond)
	for n := 0; n < 100; n++ {
		capture("counted", user, posthog.Properties{"n": n}, nil)
	}
}

func told(line map[string]any) {
	text, err := json.Marshal(line)
	check(err)
	fmt.Println(string(text))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// It tells its log of every flag that it cannot decide.
type silent struct{}

func (silent) Debugf(string, ...any) {}
func (silent) Logf(string, ...any)   {}
func (silent) Warnf(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
