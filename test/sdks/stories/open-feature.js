/** A page's use of OpenFeature, and the provider that it is given. */
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature } from '@openfeature/web-sdk';

const { host, token, ...context } = Object.fromEntries(new URLSearchParams(location.search));
const client = OpenFeature.getClient();
const changes = [];
client.addHandler('PROVIDER_CONFIGURATION_CHANGED', ({ flagsChanged }) =>
  changes.push({ flagsChanged, at: Date.now() }),
);

await OpenFeature.setContext(context);
await OpenFeature.setProviderAndWait(
  new OFREPWebProvider({ baseUrl: host, headers: [['Authorization', `Bearer ${token}`]] }),
);
window.openFeature = { client, changes, setContext: (changed) => OpenFeature.setContext(changed) };
