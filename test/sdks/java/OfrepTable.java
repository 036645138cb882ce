import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.gson.Gson;
import dev.openfeature.contrib.providers.ofrep.OfrepProvider;
import dev.openfeature.contrib.providers.ofrep.OfrepProviderOptions;
import dev.openfeature.sdk.FlagEvaluationDetails;
import dev.openfeature.sdk.MutableContext;
import dev.openfeature.sdk.OpenFeatureAPI;
import dev.openfeature.sdk.Structure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Asks a server for the flags of table.json with OpenFeature's provider for OFREP.
 *
 * <pre>OfrepTable.java HOST KEY TABLE</pre>
 *
 * Prints what it was told, as lines of JSON.
 */
class OfrepTable {
  record Table(List<Person> persons, List<Flag> flags) {}

  record Person(String id, Map<String, Object> groups) {}

  record Flag(String key, Map<String, Object> filters) {}

  static final Gson GSON = new Gson();

  public static void main(String[] args) throws Exception {
    Table table = GSON.fromJson(Files.readString(Path.of(args[2])), Table.class);
    var headers = ImmutableMap.of("Authorization", ImmutableList.of("Bearer " + args[1]));
    var options = OfrepProviderOptions.builder().baseUrl(args[0]).headers(headers).build();
    var api = OpenFeatureAPI.getInstance();
    api.setProviderAndWait(OfrepProvider.constructProvider(options));
    var client = api.getClient();
    for (Person person : table.persons()) {
      var context = new MutableContext(person.id()).add("groups", Structure.mapToStructure(person.groups()));
      for (Flag flag : table.flags()) {
        FlagEvaluationDetails<?> details =
            flag.filters().containsKey("multivariate")
                ? client.getStringDetails(flag.key(), "default", context)
                : client.getBooleanDetails(flag.key(), true, context);
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("from", "ofrep");
        line.put("person", person.id());
        line.put("flag", flag.key());
        line.put("value", details.getValue());
        line.put("variant", details.getVariant());
        line.put("reason", details.getReason());
        line.put("error", details.getErrorCode());
        System.out.println(GSON.toJson(line));
      }
    }
    api.shutdown();
  }
}
