// Apache's reference REST catalog on loopback. With http.from it writes its files by plain HTTP. java -cp 'libs/*' RestCatalog.java (properties from CATALOG_*, port from PORT or any); prints the port.
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.iceberg.CatalogUtil;
import org.apache.iceberg.inmemory.InMemoryInputFile;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.rest.RESTCatalogAdapter;
import org.apache.iceberg.rest.RESTCatalogServlet;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;

public class RestCatalog {
  public static void main(String[] arguments) throws Exception {
    Map<String, String> properties = new HashMap<>();
    System.getenv().forEach((name, value) -> {
      if (name.startsWith("CATALOG_"))
        properties.put(name.substring(8).replace("__", "-").replace("_", ".").toLowerCase(Locale.ROOT), value);
    });
    var catalog = properties.containsKey("http.from") ? catalogByHttp(properties) : CatalogUtil.buildIcebergCatalog("rest", properties, null);
    var context = new ServletContextHandler(ServletContextHandler.NO_SESSIONS);
    context.setContextPath("/");
    context.addServlet(new ServletHolder(new RESTCatalogServlet(new RESTCatalogAdapter(catalog))), "/*");
    var server = new Server(new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv().getOrDefault("PORT", "0"))));
    server.setHandler(context);
    server.start();
    System.out.println("listens on " + ((ServerConnector) server.getConnectors()[0]).getLocalPort());
    server.join();
  }

  private static JdbcCatalog catalogByHttp(Map<String, String> properties) {
    var catalog = new JdbcCatalog(given -> {
      var files = new HttpFiles();
      files.initialize(given);
      return files;
    }, null, true);
    catalog.initialize("rest", properties);
    return catalog;
  }

  /** Files by plain HTTP: those whose addresses begin with http.from are at http.to, with the query http.query. */
  private static class HttpFiles implements FileIO {
    private final HttpClient client = HttpClient.newHttpClient();
    private Map<String, String> properties;

    @Override
    public void initialize(Map<String, String> given) {
      properties = given;
    }

    @Override
    public Map<String, String> properties() {
      return properties;
    }

    private HttpResponse<byte[]> send(String location, String method, byte[] content) {
      String from = properties.get("http.from");
      if (!location.startsWith(from)) throw new IllegalArgumentException(location);
      String path = location.substring(from.length()).replace("%", "%25").replace("=", "%3D");
      var uri = URI.create(properties.get("http.to") + path + "?" + properties.get("http.query"));
      // Azure wants to know the kind of a new blob.
      var request = HttpRequest.newBuilder(uri).header("x-ms-blob-type", "BlockBlob");
      var body = content == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(content);
      try {
        var answer = client.send(request.method(method, body).build(), BodyHandlers.ofByteArray());
        if (answer.statusCode() >= 300) throw new IllegalStateException(method + " " + location + " gave " + answer.statusCode());
        return answer;
      } catch (IOException | InterruptedException failure) {
        throw new IllegalStateException(failure);
      }
    }

    @Override
    public InputFile newInputFile(String location) {
      return new InMemoryInputFile(location, send(location, "GET", null).body());
    }

    @Override
    public void deleteFile(String location) {
      send(location, "DELETE", null);
    }

    @Override
    public OutputFile newOutputFile(String location) {
      return new OutputFile() {
        @Override
        public PositionOutputStream create() {
          return createOrOverwrite();
        }

        @Override
        public PositionOutputStream createOrOverwrite() {
          var content = new ByteArrayOutputStream();
          return new PositionOutputStream() {
            @Override
            public long getPos() {
              return content.size();
            }

            @Override
            public void write(int one) {
              content.write(one);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
              content.write(bytes, offset, length);
            }

            @Override
            public void close() {
              send(location, "PUT", content.toByteArray());
            }
          };
        }

        @Override
        public String location() {
          return location;
        }

        @Override
        public InputFile toInputFile() {
          return newInputFile(location);
        }
      };
    }
  }
}
