// Apache's reference REST catalog on loopback: java -cp 'libs/*' RestCatalog.java (properties from CATALOG_*, port from PORT or any); prints the port.
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.iceberg.CatalogUtil;
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
    var catalog = CatalogUtil.buildIcebergCatalog("rest", properties, null);
    var context = new ServletContextHandler(ServletContextHandler.NO_SESSIONS);
    context.setContextPath("/");
    context.addServlet(new ServletHolder(new RESTCatalogServlet(new RESTCatalogAdapter(catalog))), "/*");
    var server = new Server(new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv().getOrDefault("PORT", "0"))));
    server.setHandler(context);
    server.start();
    System.out.println("listens on " + ((ServerConnector) server.getConnectors()[0]).getLocalPort());
    server.join();
  }
}
