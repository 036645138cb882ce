/** Connection strings of storage accounts: with an account key, or with a shared access signature (SAS). */
import { isIP } from 'node:net';
import { InvalidInput } from '../../../platform/errors.ts';
import { nullable, Type } from '../../../platform/schema.ts';
import { withDefault } from '../object-store/config.ts';

export type AzureAccount = {
  /** URL of the Blob service, without a slash at its end. */
  endpoint: string;
  credential: { accountName: string; accountKey: string } | { sas: string } | RenewedSas;
};

/** A shared access signature that is replaced before it expires. `renews`: the store has refused the last one. */
export type RenewedSas = { currentSas(renews?: boolean): Promise<string> };

/** The field of a configuration that is derived from its connection string. */
export const blobEndpointField = {
  blob_endpoint: withDefault(
    nullable(
      Type.String({ description: 'The URL of the Blob service of the account, taken from the connection string.' }),
      { title: 'Blob endpoint', readOnly: true },
    ),
    null,
  ),
};

const FIELD = 'connection_string';
const PARTS = new Set([
  'DefaultEndpointsProtocol',
  'AccountName',
  'AccountKey',
  'BlobEndpoint',
  'EndpointSuffix',
  'SharedAccessSignature',
]);
/** Parts that Azure's portal adds for services that are not used here. */
const OTHER_SERVICES = new Set(['QueueEndpoint', 'TableEndpoint', 'FileEndpoint', 'DfsEndpoint']);

const ACCOUNT = /^[a-z0-9]{3,24}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$|^[A-Za-z0-9+/]{2,3}={1,2}$/;
const SUFFIX = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i;
const ENDPOINT = /^https?:\/\/[^/?#@\\\s]+(?:\/[a-z0-9-]+)?\/?$/i;
const SIGNATURE = /^[\x21-\x22\x24-\x7e]+$/;

/** @throws InvalidInput, whose message repeats no part of the string, because it holds a secret */
export function parseConnectionString(text: string): AzureAccount {
  const parts = partsOf(text);
  return { endpoint: endpointOf(parts), credential: credentialOf(parts) };
}

function partsOf(text: string): Map<string, string> {
  const parts = new Map<string, string>();
  for (const piece of text.trim().replace(/;$/, '').split(';')) {
    const [name = '', value = ''] = /^([A-Za-z]+)=(.+)$/s.exec(piece.trim())?.slice(1) ?? [];
    if (name === '')
      throw connectionStringError('Must consist of parts such as AccountName=…, separated by semicolons.');
    if (parts.has(name)) throw connectionStringError('Must name each of its parts once.');
    if (OTHER_SERVICES.has(name)) continue;
    if (!PARTS.has(name)) throw connectionStringError(`May only have the parts ${[...PARTS].join(', ')}.`);
    parts.set(name, value);
  }
  return parts;
}

function credentialOf(parts: ReadonlyMap<string, string>): AzureAccount['credential'] {
  const [accountName, accountKey] = [parts.get('AccountName'), parts.get('AccountKey')];
  const sas = parts.get('SharedAccessSignature')?.replace(/^\?/, '');
  if ((accountKey === undefined) === (sas === undefined))
    throw connectionStringError('Must have either an AccountKey or a SharedAccessSignature.');
  if (accountName !== undefined && !ACCOUNT.test(accountName))
    throw connectionStringError('Has an invalid AccountName.');
  if (sas !== undefined) {
    const fields = new URLSearchParams(sas);
    if (!SIGNATURE.test(sas) || !fields.has('sig') || !fields.has('sv'))
      throw connectionStringError('Has an invalid SharedAccessSignature.');
    return { sas };
  }
  if (accountName === undefined) throw connectionStringError('Must have an AccountName with the AccountKey.');
  if (!BASE64.test(accountKey!)) throw connectionStringError('Has an invalid AccountKey.');
  return { accountName, accountKey: accountKey! };
}

function endpointOf(parts: ReadonlyMap<string, string>): string {
  const endpoint = parts.get('BlobEndpoint');
  if (endpoint !== undefined) {
    if (!ENDPOINT.test(endpoint) || !URL.canParse(endpoint) || isRespelled(endpoint))
      throw connectionStringError('Has an invalid BlobEndpoint.');
    return new URL(endpoint).href.replace(/\/$/, '');
  }
  const account = parts.get('AccountName');
  const protocol = parts.get('DefaultEndpointsProtocol') ?? 'https';
  const suffix = parts.get('EndpointSuffix') ?? 'core.windows.net';
  if (account === undefined) throw connectionStringError('Must have an AccountName or a BlobEndpoint.');
  if (!ACCOUNT.test(account)) throw connectionStringError('Has an invalid AccountName.');
  if (protocol !== 'https' && protocol !== 'http')
    throw connectionStringError('Has an invalid DefaultEndpointsProtocol.');
  const built = `${protocol}://${account}.blob.${suffix.toLowerCase()}`;
  // A last label of digits is read as an address, which this is not.
  if (!SUFFIX.test(suffix) || !URL.canParse(built)) throw connectionStringError('Has an invalid EndpointSuffix.');
  return built;
}

/** Whether the host is an IPv4 address in another spelling, such as `0127.0.0.1`, which a URL parser reads as 87.0.0.1. */
function isRespelled(endpoint: string): boolean {
  const { hostname } = new URL(endpoint);
  return isIP(hostname) === 4 && !endpoint.includes(`//${hostname}`);
}

function connectionStringError(sentence: string): InvalidInput {
  return new InvalidInput(sentence, FIELD);
}

/** Whether a shared access signature has expired by the worker's clock. */
export function isExpired({ credential }: AzureAccount, now = Date.now()): boolean {
  if (!('sas' in credential)) return false;
  const expiry = Date.parse(new URLSearchParams(credential.sas).get('se') ?? '');
  return expiry <= now;
}
