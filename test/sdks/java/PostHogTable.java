import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParser;
import com.google.gson.reflect.TypeToken;
import com.posthog.server.PostHog;
import com.posthog.server.PostHogCaptureOptions;
import com.posthog.server.PostHogConfig;
import com.posthog.server.PostHogFeatureFlagOptions;
import com.posthog.server.PostHogInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Tells a server the story of test/support/sdks/sdk-story.ts with posthog-server, and asks it for the flags of table.json.
 *
 * <pre>PostHogTable.java HOST TOKEN SECRET_KEY FEED_HOST TABLE STORY_TOKEN</pre>
 *
 * Prints what it sent and what it was told, as lines of JSON.
 */
class PostHogTable {
  record Table(List<Person> persons, List<Flag> flags) {}

  record Person(
      String id,
      Map<String, String> groups,
      Map<String, Object> person_properties,
      Map<String, Map<String, Object>> group_properties) {}

  record Flag(String key) {}

  static final Gson GSON = new GsonBuilder().serializeNulls().create();

  public static void main(String[] args) throws Exception {
    String host = args[0], token = args[1], secretKey = args[2], feedHost = args[3];
    Table table = GSON.fromJson(Files.readString(Path.of(args[4])), new TypeToken<Table>() {}.getType());

    PostHogInterface teller = open(host, args[5]);
    tellStory(teller);
    close(teller);

    PostHogInterface remote = open(host, token);
    for (Person person : table.persons()) {
      for (Flag flag : table.flags()) {
        var options = new PostHogFeatureFlagOptions.Builder().groups(person.groups()).build();
        Object value = remote.getFeatureFlag(person.id(), flag.key(), options);
        Object payload = remote.getFeatureFlagPayload(person.id(), flag.key(), options);
        told("remote", person, flag, value, payload);
      }
    }
    close(remote);

    PostHogInterface local =
        PostHog.with(
            PostHogConfig.builder(token)
                .host(feedHost)
                .personalApiKey(secretKey)
                .localEvaluation(true)
                .sendFeatureFlagEvent(false)
                .build());
    local.reloadFeatureFlags();
    for (Person person : table.persons()) {
      for (Flag flag : table.flags()) {
        var options =
            new PostHogFeatureFlagOptions.Builder()
                .groups(person.groups())
                .personProperties(person.person_properties())
                .groupProperties(person.group_properties())
                .build();
        told("local", person, flag, local.getFeatureFlag(person.id(), flag.key(), options), null);
      }
    }
    local.close();
  }

  static PostHogInterface open(String host, String token) {
    return PostHog.with(PostHogConfig.builder(token).host(host).flushAt(1000).maxBatchSize(1000).build());
  }

  /** It queues in the background, sends one batch of what is queued by now, and drops the rest when it is closed. */
  static void close(PostHogInterface client) throws InterruptedException {
    Thread.sleep(500);
    client.flush();
    client.close();
  }

  static void tellStory(PostHogInterface client) {
    String anonymous = "visitor-1", user = "user-1", company = "acme";
    capture(client, "looked around", anonymous, options());
    capture(client, "looked around", anonymous, options());
    client.identify(user, Map.of("email", "ada@example.com", "plan", "free"), Map.of("first_seen", "monday"));
    sent("$identify", user);
    client.alias(user, anonymous);
    sent("$create_alias", user);
    capture(client, "came back", anonymous, options());
    capture(client, "paid", user, options().userProperty("plan", "pro").userPropertySetOnce("first_seen", "tuesday"));
    client.group(user, "company", company, Map.of("tier", "gold"));
    sent("$groupidentify", user);
    capture(client, "invited", user, options().group("company", company));
    for (int n = 0; n < 100; n++) capture(client, "counted", user, options().property("n", n));
  }

  static PostHogCaptureOptions.Builder options() {
    return PostHogCaptureOptions.builder();
  }

  static void capture(PostHogInterface client, String event, String distinctId, PostHogCaptureOptions.Builder options)
      {
    client.capture(distinctId, event, options.build());
    sent(event, distinctId);
  }

  static void sent(String event, String distinctId) {
    System.out.println(GSON.toJson(Map.of("from", "story", "event", event, "distinct_id", distinctId)));
  }

  static void told(String from, Person person, Flag flag, Object value, Object payload) {
    if (value == null) return;
    Map<String, Object> line = new LinkedHashMap<>(Map.of("from", from, "person", person.id(), "flag", flag.key()));
    line.put("value", value);
    // It gives JSON.
    line.put("payload", payload == null ? null : JsonParser.parseString((String) payload));
    System.out.println(GSON.toJson(line));
  }
}
