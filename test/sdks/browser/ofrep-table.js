/** A page that asks a server for the flags of table.json with OpenFeature's provider for OFREP in pages. */
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature } from '@openfeature/web-sdk';

const { host, token } = Object.fromEntries(new URLSearchParams(location.search));
const client = OpenFeature.getClient();

/** @param flags those that have variants by `true` */
window.tell = async (person, groups, flags) => {
  await OpenFeature.setContext({ targetingKey: person, groups });
  return Object.entries(flags).map(([flag, hasVariants]) => {
    const { value, variant, reason, errorCode } = hasVariants
      ? client.getStringDetails(flag, 'default')
      : client.getBooleanDetails(flag, true);
    return { flag, value, variant, reason, error: errorCode };
  });
};

await OpenFeature.setContext({ targetingKey: 'nobody' });
await OpenFeature.setProviderAndWait(
  new OFREPWebProvider({ baseUrl: host, headers: [['Authorization', `Bearer ${token}`]], pollInterval: 0 }),
);
window.isReady = true;
