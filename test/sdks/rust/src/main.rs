//! Tells a server the story of test/support/sdks/sdk-story.ts with posthog-rs, and asks it for the flags of table.json.
//!
//!     posthog-table HOST TOKEN SECRET_KEY FEED_HOST TABLE STORY_TOKEN
//!
//! Prints what it sent and what it was told, as lines of JSON.

use posthog_rs::{client, Client, ClientOptionsBuilder, EvaluateFlagsOptions, Event, FlagValue};
use serde_json::{from_value, json, Value};
use std::{thread::sleep, time::Duration};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [host, token, secret_key, feed_host, table, story_token] = args.try_into().expect("six arguments");
    let table: Value = serde_json::from_str(&std::fs::read_to_string(table).unwrap()).unwrap();

    let teller = client(options(&host, &story_token).build().unwrap());
    tell_story(&teller);
    teller.shutdown();

    let remote = client(options(&host, &token).build().unwrap());
    ask(&remote, &table, "remote");
    remote.shutdown();

    let options = options(&feed_host, &token).secret_key(secret_key).enable_local_evaluation(true).build().unwrap();
    let local = client(options);
    ask(&local, &table, "local");
    local.shutdown();
}

fn options(host: &str, token: &str) -> ClientOptionsBuilder {
    let mut builder = ClientOptionsBuilder::default();
    builder.host(host).api_key(token.to_string());
    builder
}

/// Locally with all that is known of a person, remotely by who they are.
fn ask(client: &Client, table: &Value, from: &str) {
    let is_local = from == "local";
    for person in table["persons"].as_array().unwrap() {
        let id = person["id"].as_str().unwrap();
        let mut options = EvaluateFlagsOptions { only_evaluate_locally: is_local, ..Default::default() };
        options.groups = from_value(person["groups"].clone()).unwrap();
        if is_local {
            options.person_properties = from_value(person["person_properties"].clone()).unwrap();
            options.group_properties = from_value(person["group_properties"].clone()).unwrap();
        }
        let flags = client.evaluate_flags(id, options).unwrap();
        for key in flags.keys() {
            let value = match flags.get_flag(&key).unwrap() {
                FlagValue::Boolean(value) => json!(value),
                FlagValue::String(value) => json!(value),
            };
            let payload = flags.get_flag_payload(&key);
            println!("{}", json!({ "from": from, "person": id, "flag": key, "value": value, "payload": payload }));
        }
    }
}

fn tell_story(client: &Client) {
    let (anonymous, user, company) = ("visitor-1", "user-1", "acme");
    let capture = |event: &str, distinct_id: &str, properties: Value| {
        let mut one = Event::new(event, distinct_id);
        for (key, value) in properties.as_object().unwrap() {
            one.insert_prop(key, value).unwrap();
        }
        sent(event, distinct_id);
        client.capture(one);
    };
    capture("looked around", anonymous, json!({}));
    capture("looked around", anonymous, json!({}));
    let known = json!({ "$set": { "email": "ada@example.com", "plan": "free" }, "$set_once": { "first_seen": "monday" } });
    capture("$identify", user, known);
    client.alias(user, anonymous);
    sent("$create_alias", user);
    capture("came back", anonymous, json!({}));
    capture("paid", user, json!({ "$set": { "plan": "pro" }, "$set_once": { "first_seen": "tuesday" } }));
    client.group_identify("company", company, json!({ "tier": "gold" })).unwrap();
    sent("$groupidentify", "$company_acme");
    let mut invited = Event::new("invited", user);
    invited.add_group("company", company);
    sent("invited", user);
    client.capture(invited);
    sleep(Duration::from_millis(1));
    for n in 0..100 {
        capture("counted", user, json!({ "n": n }));
    }
}

fn sent(event: &str, distinct_id: &str) {
    println!("{}", json!({ "from": "story", "event": event, "distinct_id": distinct_id }));
}
