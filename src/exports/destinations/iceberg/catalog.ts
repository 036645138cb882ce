/** A client of Iceberg's REST catalogs: only checked hosts, no redirects, snapshot ids without rounding. */
import type { HostRules } from '../../../platform/net/host-rules.ts';
import { poster, type Answer } from '../../../platform/net/post.ts';
import { networkFaultOf } from '../network-faults.ts';
import { tokenSource, type ClientAccess } from './access/oauth.ts';
import { requestSigner, type SigningAccess } from './access/sigv4.ts';
import { icebergFault } from './faults.ts';
import { vendedIn, type VendedStorage } from './storage/vended.ts';

const CALL_MS = 60_000;
/**
 * Limit of an answer. A table's metadata lists all its snapshots, with about a kilobyte each. The API, which runs test steps, serves others
 * meanwhile, and parsing cannot be interrupted.
 */
export const MAX_ANSWER_BYTES = { run: 32 * 1024 * 1024, test: 8 * 1024 * 1024 };
/** Parsing takes time for each value. The values of snapshots have about thirty bytes each, and `[[],[],…` has one for three bytes. */
const MIN_BYTES_PER_VALUE = 16;
/** As catalogs list it that have it. */
const CREDENTIALS_ADDRESS = 'GET /v1/{prefix}/namespaces/{namespace}/tables/{table}/credentials';
/** Separates the levels of a namespace in paths. */
const LEVEL = '\u001F';

/** Digits where a number would be rounded. */
export type LongInteger = number | string;

export type Snapshot = {
  'snapshot-id': LongInteger;
  'parent-snapshot-id'?: LongInteger | null;
  'sequence-number'?: LongInteger;
  'timestamp-ms': number;
  'manifest-list': string;
  'schema-id'?: number;
  summary?: Record<string, string>;
};
export type Field = { id: number; name: string; type: unknown; required: boolean };
export type Schema = { 'schema-id'?: number; type: 'struct'; fields: Field[] };
export type PartitionSpec = {
  'spec-id': number;
  fields: { name: string; transform: string; 'source-id': number; 'field-id': number }[];
};
export type TableMetadata = {
  'format-version': number;
  'table-uuid': string;
  location: string;
  'last-updated-ms'?: number;
  'last-sequence-number': LongInteger;
  'current-snapshot-id'?: LongInteger | null;
  'current-schema-id': number;
  schemas: Schema[];
  'default-spec-id': number;
  'partition-specs': PartitionSpec[];
  snapshots?: Snapshot[];
  'last-column-id': number;
  properties?: Record<string, string>;
  /** Branches and tags. */
  refs?: Record<string, SnapshotReference>;
};

/** A reference may have limits of its own, in place of the table's. */
export type SnapshotReference = {
  'snapshot-id': LongInteger;
  'min-snapshots-to-keep'?: number;
  'max-snapshot-age-ms'?: number;
};

export type CatalogAccess = {
  uri: string;
  warehouse: string | null;
  token: string | null;
  client: ClientAccess | null;
  signing: SigningAccess | null;
  /** Whether the catalog is to vend credentials for the files of tables. */
  delegates: boolean;
  namespace: string;
  table: string;
  rules: HostRules;
  maxAnswerBytes: number;
  signal: AbortSignal;
};

/** `unknown`: the commit may have been made, because the answer is lost or inconclusive. */
export type CommitAnswer = 'committed' | 'changed' | 'unknown';

export type Catalog = {
  /** Asks for the catalog's configuration, as every client does first. */
  connect(): Promise<void>;
  namespaceExists(): Promise<boolean>;
  load(): Promise<TableMetadata | undefined>;
  /**
   * The credentials and the whereabouts of the table's storage, as the catalog gave them along with the table.
   * @param renews asks again
   */
  vendedStorage(renews: boolean): Promise<VendedStorage>;
  /** Creates the table; succeeds also if another writer has created it meanwhile. */
  create(table: { schema: Schema; 'partition-spec': PartitionSpec; properties: Record<string, string> }): Promise<void>;
  commit(change: { requirements: object[]; updates: object[] }): Promise<CommitAnswer>;
  close(): void;
};

export function openCatalog(access: CatalogAccess): Catalog {
  const denial = access.signing ? 'signature_refused' : 'catalog_denied';
  const contentOf = (answer: Answer) => readContent(answer, { denial, maxAnswerBytes: access.maxAnswerBytes });
  const { post, close } = poster(access.rules, { maxAnswerBytes: access.maxAnswerBytes });
  const levels = encodeURIComponent(access.namespace.split('.').join(LEVEL));
  const limits = { timeoutMs: CALL_MS, signal: access.signal };
  const newToken =
    access.client &&
    tokenSource(access.client, async (request) => {
      try {
        return await post({ ...request, ...limits });
      } catch (error) {
        access.signal.throwIfAborted();
        throw error;
      }
    });
  const sign = access.signing && requestSigner(access.signing);
  let prefix: Promise<string> | undefined;
  /** Whether the catalog gives credentials at an address of their own. */
  let hasCredentialsAddress = false;
  let vended: VendedStorage | undefined;

  async function send(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
    const answer = await sendWith(newToken ? await newToken() : access.token, method, path, body);
    // The token may have been revoked. The refused request had no effect.
    return answer.status === 401 && newToken ? sendWith(await newToken(true), method, path, body) : answer;
  }

  async function sendWith(token: string | null, method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
    const headers = {
      accept: 'application/json',
      'user-agent': 'Sluice',
      ...(access.delegates && { 'x-iceberg-access-delegation': 'vended-credentials' }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== null && { authorization: `Bearer ${token}` }),
    };
    const url = new URL(`${access.uri.replace(/\/$/, '')}/v1/${path}`);
    const request = { method, url, headers, body: body === undefined ? '' : toJson(body) };
    const signed = sign && (await sign(request));
    try {
      return await post({ ...request, ...(signed && { headers: signed }), ...limits });
    } catch (cause) {
      access.signal.throwIfAborted();
      throw icebergFault(`catalog_${networkFaultOf(cause)}`, { cause });
    }
  }

  async function findPrefix(): Promise<string> {
    const query = access.warehouse === null ? '' : `?warehouse=${encodeURIComponent(access.warehouse)}`;
    const answer = await send('GET', `config${query}`);
    if (access.warehouse !== null && (answer.status === 404 || answer.status === 400))
      throw icebergFault('warehouse_not_found');
    if (answer.status === 404) throw icebergFault('catalog_not_found');
    const { overrides, defaults, endpoints } = contentOf(answer) as Record<string, Record<string, unknown> | undefined>;
    hasCredentialsAddress = Array.isArray(endpoints) && endpoints.includes(CREDENTIALS_ADDRESS);
    const found = overrides?.['prefix'] ?? defaults?.['prefix'];
    // Escapes stay as they are: the prefix of S3 Tables is an ARN that has some.
    return typeof found === 'string' && found !== '' ? `${encodeURI(found).replace(/%25([\dA-F]{2})/gi, '%$1')}/` : '';
  }

  async function call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
    prefix ??= findPrefix();
    const found = await prefix.catch((error: unknown) => {
      prefix = undefined;
      throw error;
    });
    return send(method, `${found}namespaces/${levels}${path}`, body);
  }

  const path = `/tables/${encodeURIComponent(access.table)}`;
  async function load(): Promise<TableMetadata | undefined> {
    const answer = await call('GET', path);
    if (answer.status === 404) return undefined;
    if (Buffer.byteLength(answer.body) >= access.maxAnswerBytes) throw icebergFault('metadata_too_large');
    const content = contentOf(answer);
    if (access.delegates) vended = vendedIn(content);
    return metadataOf(content);
  }

  return {
    async connect() {
      prefix ??= findPrefix();
      await prefix;
    },
    async namespaceExists() {
      const answer = await call('GET', '');
      if (answer.status === 404) return false;
      contentOf(answer);
      return true;
    },
    load,
    async vendedStorage(renews) {
      if (vended && renews && hasCredentialsAddress) {
        const { credentials } = vendedIn(contentOf(await call('GET', `${path}/credentials`)));
        vended = { ...vended, credentials };
      } else if (!vended || renews) await load();
      return vended ?? { config: {}, credentials: [] };
    },
    async create(table) {
      const answer = await call('POST', '/tables', { name: access.table, ...table });
      if (answer.status === 404) throw icebergFault('namespace_not_found');
      if (answer.status !== 409) contentOf(answer);
    },
    async commit(change) {
      // A request that failed on its way, or was cancelled, may have arrived; the caller looks for its snapshot.
      const answer = await call('POST', path, change).catch(() => undefined);
      if (!answer || answer.status >= 500 || answer.status === 408) return 'unknown';
      if (answer.status === 409) return 'changed';
      if (answer.status === 404) throw icebergFault('table_gone');
      // The body is not read: the catalog has accepted the commit.
      if (answer.status >= 300) contentOf(answer);
      return 'committed';
    },
    close,
  };
}

type Reading = { denial: 'catalog_denied' | 'signature_refused'; maxAnswerBytes: number };

function readContent({ status, body }: Answer, { denial, maxAnswerBytes }: Reading): unknown {
  if (status === 401 || status === 403 || status === 419) throw icebergFault(denial);
  if (status >= 500 || status === 408 || status === 429) throw icebergFault('catalog_unavailable');
  if (status >= 300 && status < 400) throw icebergFault('catalog_redirects');
  if (status < 200 || status >= 300)
    throw icebergFault('catalog_refused', { sentence: `The catalog refused the request (status ${status}).` });
  if (countValues(body) > maxAnswerBytes / MIN_BYTES_PER_VALUE) throw icebergFault('metadata_too_large');
  try {
    return parseJson(body);
  } catch (cause) {
    throw icebergFault('catalog_not_found', { cause });
  }
}

/** Counts the values of a JSON text, or a few more. */
function countValues(text: string): number {
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === BRACKET || code === BRACE) values++;
  }
  return values;
}
const [COMMA, BRACKET, BRACE] = [44, 91, 123];

function metadataOf(content: unknown): TableMetadata {
  const metadata = (content as { metadata?: TableMetadata } | null)?.metadata;
  if (typeof metadata?.location !== 'string' || !hasCurrentSchema(metadata)) throw icebergFault('catalog_not_found');
  return metadata;
}

function hasCurrentSchema({ schemas, 'partition-specs': specs, 'current-schema-id': id }: TableMetadata): boolean {
  return Array.isArray(specs) && Array.isArray(schemas) && schemas.some((schema) => schema?.['schema-id'] === id);
}

const LONG_INTEGERS =
  /("(?:current-|parent-)?snapshot-id"|"(?:last-)?sequence-number")(\s*:\s*)(-?\d{16,})(?=\s*[,}])/g;

/**
 * Snapshot ids have 63 bits, which plain numbers round, so their digits become strings first. A reviver of JSON.parse would be called for
 * each value, and took a second for each megabyte of small ones. Inside a string, the quotes of a key are escaped, and do not match.
 */
function parseJson(text: string): unknown {
  return JSON.parse(text.replace(LONG_INTEGERS, '$1$2"$3"'));
}

function toJson(value: unknown): string {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? rawJSON(String(one)) : one));
}
