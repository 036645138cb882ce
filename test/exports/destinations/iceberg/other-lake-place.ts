/** Tables whose files are in the emulators of Google's and Azure's storages, with a reader's view of them. */
import { randomBytes } from 'node:crypto';
import { ContainerSASPermissions } from '@azure/storage-blob';
import { iceberg } from '../../../../src/exports/destinations/iceberg/iceberg.ts';
import { currentSnapshot } from '../../../../src/exports/destinations/iceberg/present.ts';
import { connectionString, createTestContainer, AZURE_ACCOUNT } from '../../../support/servers/azurite.ts';
import { createGcsBucket } from '../../../support/servers/gcs/fake-gcs.ts';
import { createNamespaceIn, type CatalogStorage } from '../../../support/servers/iceberg-catalog.ts';
import { LOOPBACK_ENVIRONMENT, type TestPlace } from '../../../support/exports/test-place.ts';
import { keyOf, lakeReader, type ManifestPath } from '../../../support/exports/lake-reader.ts';

/** Data files, manifests and uploads. */
const OURS = /\.(parquet|avro)$|\/_sluice-upload-/;
const DAY_MS = 86_400_000;

/** The store of a catalog's tables: its objects, and the fields that a configuration needs. */
type LakeStore = {
  config: Record<string, unknown>;
  /** The bucket or the container. */
  bucket: string;
  /** Makes all access tokens of Google's invalid. */
  revoke?(): void;
  read(key: string): Promise<Buffer>;
  write(key: string, content: Buffer): Promise<void>;
  remove(key: string): Promise<void>;
  list(prefix: string): Promise<string[]>;
};

/** The catalog writes its own files by plain HTTP, as `RestCatalog.java` has it. */
const byHttp = (from: string, to: string, query: string) => ({
  CATALOG_WAREHOUSE: `${from}lake`,
  CATALOG_HTTP_FROM: from,
  CATALOG_HTTP_TO: to,
  CATALOG_HTTP_QUERY: query,
});

async function gcsStorage(): Promise<CatalogStorage<LakeStore>> {
  const { gateway, fake, bucket, key, list, read, write, remove } = await createGcsBucket();
  const store: LakeStore = {
    config: { storage: 'gcs', service_account_key: key, endpoint_url: gateway.origin },
    bucket,
    revoke: gateway.revoke,
    read: async (name) => (await read(name))!,
    write,
    remove,
    list: async (prefix) => (await list(prefix)).map(({ name }) => name),
  };
  // The emulator takes this for a signed address.
  return { env: byHttp(`gs://${bucket}/`, `${fake}/${bucket}/`, 'X-Goog-Algorithm=none'), store };
}

async function azureStorage(): Promise<CatalogStorage<LakeStore>> {
  const { endpoint, client } = await createTestContainer();
  const from = `abfss://${client.containerName}@${AZURE_ACCOUNT.name}.dfs.core.windows.net/`;
  const permissions = ContainerSASPermissions.parse('racwdl');
  const url = await client.generateSasUrl({ permissions, expiresOn: new Date(Date.now() + DAY_MS) });
  const [to = '', query = ''] = url.split('?');
  const store: LakeStore = {
    config: { storage: 'azure', connection_string: connectionString(endpoint), blob_endpoint: endpoint },
    bucket: client.containerName,
    read: async (key) => client.getBlobClient(key).downloadToBuffer(),
    write: async (key, content) => void (await client.getBlockBlobClient(key).upload(content, content.length)),
    remove: async (key) => void (await client.deleteBlob(key)),
    async list(prefix) {
      const found = await Array.fromAsync(client.listBlobsFlat({ prefix }));
      return found.map(({ name }) => name);
    },
  };
  return { env: byHttp(from, `${to}/`, query), store };
}

const STORAGES = { gcs: gcsStorage, azure: azureStorage };

export type OtherLakePlace = TestPlace & { uri: string; namespace: string; store: LakeStore };

export async function makeOtherLakePlace(storage: keyof typeof STORAGES): Promise<OtherLakePlace> {
  const { uri, namespace, store } = await createNamespaceIn(storage, STORAGES[storage]);
  const { loadTable, bytesOf, readAvro, filesOf, rowsOf } = lakeReader({ uri, namespace, read: store.read });
  const folder = `lake/${namespace}/`;

  async function liveFiles(): Promise<string[] | undefined> {
    const table = await loadTable('events');
    const snapshot = table && currentSnapshot(table);
    return snapshot && (await filesOf(snapshot['manifest-list'])).sort();
  }
  const firstFile = async () => keyOf((await liveFiles())![0]!);
  return {
    uri,
    namespace,
    store,
    destination: iceberg,
    config: {
      catalog_uri: uri,
      namespace,
      table_name: 'events',
      catalog_auth: 'bearer',
      storage_credentials: 'configured',
      use_virtual_style_addressing: false,
      ...store.config,
    },
    environment: LOOPBACK_ENVIRONMENT,
    async snapshot() {
      const files = (await liveFiles()) ?? [];
      const found = files.map(async (url) => [url, (await bytesOf(url)).toString('base64')] as const);
      return Object.fromEntries(await Promise.all(found));
    },
    async read() {
      const files = await liveFiles();
      const rows = files && (await Promise.all(files.map((url) => rowsOf(url)))).flat();
      return rows?.map(({ uuid }) => String(uuid)).sort();
    },
    /** Objects of uploads, and data files and manifests that no snapshot names. */
    async leftovers() {
      const named = new Set<string>();
      for (const { 'manifest-list': list } of (await loadTable('events'))?.snapshots ?? []) {
        const manifests = await readAvro<ManifestPath>(list);
        const urls = [list, ...manifests.map(({ manifest_path }) => manifest_path), ...(await filesOf(list))];
        for (const url of urls) named.add(keyOf(url));
      }
      return (await store.list(folder)).filter((key) => OURS.test(key) && !named.has(key)).length;
    },
    damages: [
      { name: 'missing file', inflict: async () => store.remove(await firstFile()) },
      { name: 'changed file', inflict: async () => store.write(await firstFile(), randomBytes(100)) },
    ],
    async stop() {},
  };
}
