/** Names at destinations, which belong to other people: files, tables, columns, and what a manifest and a receipt say. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { type Destination } from '../../src/exports/destinations/contract.ts';
import { type StagedPart } from '../../src/exports/destinations/delivery.ts';
import { type Delivery } from '../../src/exports/destinations/delivery.ts';
import { FILE_FORMATS, SUPPORTED_COMPRESSIONS } from '../../src/exports/formats/file-encoding.ts';
import { anyDestination, DESTINATION_TYPES } from '../../src/exports/destinations/index.ts';
import { idOf, METADATA } from '../../src/exports/destinations/azure-blob/staging.ts';
import { pieceName } from '../../src/exports/destinations/gcs/store.ts';
import { folderQuota } from '../../src/exports/destinations/local-file/quota.ts';
import { localStore } from '../../src/exports/destinations/local-file/store.ts';
import { eventFolder, MANIFESTS } from '../../src/exports/destinations/object-store/event-folders.ts';
import { LAYOUTS, PATH_STYLES, PREFIX_VARIABLES } from '../../src/exports/destinations/object-store/keys.ts';
import { encodeManifest, manifestOf } from '../../src/exports/destinations/object-store/manifest.ts';
import { uploadName } from '../../src/exports/destinations/object-store/upload-names.ts';
import { RESERVED_PREFIX } from '../../src/exports/destinations/postgres/identifiers.ts';
import { columnsOf, mergeOf } from '../../src/events/reading/selection.ts';
import { wholeContent } from './content.ts';
import type { Kind } from './kind.ts';
import { column } from './of-database.ts';
import { literalsOf, membersOf, type Product } from './product.ts';

const READERS = 'the programs that read what was delivered, and what later deliveries find there';

export const DESTINATION_KINDS: readonly Kind[] = [
  {
    name: 'destinations/types',
    writtenTo: 'the rows of exports, with the words of their configurations, and in what clients send',
    least: 40,
    present: () => DESTINATION_TYPES.map(anyDestination).flatMap(wordsOfDestination),
  },
  {
    name: 'destinations/files',
    writtenTo: READERS,
    least: 20,
    present: async ({ product }) => [
      ...fileNames(),
      ...(await temporaryFiles()),
      ...uploadMetadata(product()),
      ...uploadNames(),
      ...eventFolders(),
    ],
  },
  { name: 'destinations/manifest', writtenTo: READERS, least: 20, present: manifestFields },
  {
    name: 'destinations/receipts',
    writtenTo: 'the rows of runs and the ledger, and in answers of the API',
    least: 15,
    present: ({ product }) =>
      membersOf(product(), product().exported('src/exports/destinations/receipt.ts', 'Receipt')),
  },
  {
    name: 'destinations/tables',
    writtenTo: `databases of other people: tables of a Postgres destination, its ledger and ${READERS}`,
    least: 30,
    async present({ product, installation }) {
      const { destination } = await installation();
      return [...(await column(destination, TABLES)), ...stages(product())];
    },
  },
  {
    name: 'destinations/columns',
    writtenTo: READERS,
    least: 50,
    present: () =>
      (['events', 'persons', 'sessions'] as const).flatMap((model) => {
        const content = wholeContent(model);
        const merge = mergeOf(content);
        const of = (takes: Destination['takes']) =>
          columnsOf(content, takes).map(({ name, type }) => `${model} in ${takes}: ${name} ${type}`);
        return [
          ...of('rows'),
          ...of('files'),
          ...(merge ? [`${model} by ${merge.key.join(', ')}, newest ${merge.version}`] : []),
        ];
      }),
  },
  {
    name: 'destinations/prefix-variables',
    writtenTo: 'the configurations of exports, as variables of a prefix',
    least: 9,
    present: () => PREFIX_VARIABLES,
  },
];

const TABLES = `
  select 'table ' || relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
  union all
  select relname || '.' || attname from pg_attribute join pg_class on pg_class.oid = attrelid
  where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0
  union all
  select 'index ' || relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'i'`;

const ID = '0198f3a0-0000-7000-8000-000000000001';
const CONFIGS: Readonly<Record<string, Record<string, unknown>>> = {
  LocalFile: { directory: 'folder', prefix: '{table}/{year}' },
  S3: { bucket_name: 'bucket', prefix: '{table}/{year}', endpoint_url: 'https://store.example' },
  AwsS3: { bucket_name: 'bucket', prefix: '{table}/{year}' },
  S3Compatible: { bucket_name: 'bucket', prefix: '{table}/{year}', endpoint_url: 'https://store.example' },
  AzureBlob: { container_name: 'exports', prefix: '{table}/{year}', blob_endpoint: 'https://store.example' },
  GCS: { bucket_name: 'bucket', prefix: '{table}/{year}' },
  Postgres: { host: 'db.example', port: 5432, database: 'warehouse', schema: 'public', table_name: 'events' },
  Iceberg: { catalog_uri: 'https://catalog.example/iceberg', namespace: 'analytics', table_name: 'events' },
  NoOp: { arg: '' },
  HTTP: { url: 'https://receiver.example/batch/', body_format: 'capture' },
};

function configOf(type: string): Record<string, unknown> {
  const config = CONFIGS[type];
  if (!config)
    throw new Error(`${type} is a new destination: give it a configuration in test/frozen-names/of-destinations.ts.`);
  return config;
}

/** Type, fields, places and steps; places and key spaces are stored as text, and compared. */
function wordsOfDestination(destination: Destination): string[] {
  const { type, integration, legacyDefaults = {}, steps } = destination;
  const of = { projectId: 7, model: 'events' };
  const config = configOf(type);
  return [
    `type ${type}`,
    ...Object.entries(
      destination.config.properties as Record<string, { enum?: unknown[]; anyOf?: { enum?: unknown[] }[] }>,
    ).flatMap(([field, { enum: words = [], anyOf = [] }]) => [
      `${type} field ${field}`,
      ...[...words, ...anyOf.flatMap((one) => one.enum ?? [])].map(
        (word) => `${type} field ${field} = ${String(word)}`,
      ),
    ]),
    ...Object.entries(legacyDefaults).map(([field, value]) => `${type} former ${field} = ${String(value)}`),
    ...(integration ? [`${type} integration ${integration.kind}`] : []),
    ...steps.map(({ name }) => `${type} step ${name}`),
    `${type} place ${destination.place(config, of)}`,
    ...('path_style' in destination.config.properties
      ? [`${type} hive place ${destination.place({ ...config, path_style: 'hive' }, of)}`]
      : []),
    `${type} key space ${destination.keySpace(config, { ...of, exportId: ID })}`,
  ];
}

const DELIVERY: Delivery = {
  projectId: 7,
  exportId: ID,
  runId: ID,
  model: 'events',
  start: '2024-03-21T00:00:00.000000Z',
  end: '2024-03-21T01:00:00.500000Z',
  cutoff: '2024-03-21T01:00:01.000000Z',
  epoch: 1,
  columns: [],
  merge: null,
  file: { format: 'JSONLines', compression: null, numbered: false },
};

function fileNames(): string[] {
  const parts = [{ index: 3, rows: 1 }];
  const names = DESTINATION_TYPES.map(anyDestination).flatMap((destination) =>
    LAYOUTS.flatMap((layout) =>
      PATH_STYLES.flatMap((path_style) =>
        [true, false].flatMap((numbered) =>
          destination.names(
            { ...configOf(destination.type), layout, path_style },
            { ...DELIVERY, parts, file: { ...DELIVERY.file, numbered } },
          ),
        ),
      ),
    ),
  );
  const encoded = FILE_FORMATS.flatMap((format) =>
    [null, ...SUPPORTED_COMPRESSIONS[format]].flatMap((compression) =>
      [true, false].flatMap((codecInName) =>
        anyDestination('S3').names(
          { ...configOf('S3'), layout: 'stable' },
          { ...DELIVERY, parts, file: { format, compression, codecInName, numbered: false } },
        ),
      ),
    ),
  );
  return [...names, ...encoded];
}

/** Found again by their names after a crash. */
async function temporaryFiles(): Promise<string[]> {
  const root = await mkdtemp(path.join(tmpdir(), 'sluice-frozen-names-'));
  try {
    const quota = folderQuota(root, undefined);
    const store = localStore({ root, quota, place: 'local:7', epoch: 5, signal: new AbortController().signal });
    const { id } = await store.begin('7/part.jsonl', 'token');
    return [id.replace(/[\da-f]{16}/, '<16 hex digits>'), `former place ${store.legacyPlace}`];
  } finally {
    await rm(root, { recursive: true });
  }
}

function eventFolders(): string[] {
  const events = ['$pageview', 'Order Completed', '__other__', '.a/ä.', '語'.repeat(50), null];
  const folders = events.flatMap((event) => [eventFolder(event, 'distinct'), eventFolder(event, 'unsure')]);
  return [...folders, MANIFESTS].map((folder) => `{event}: ${folder}`);
}

function manifestFields(): string[] {
  const hashes = { sha256: 's', content_sha256: 'c', identity: 'i', checksum: null };
  const file = { key: 'k', rows: 1, bytes: 1, event: 'e', ...hashes };
  const parts: StagedPart[] = [];
  const states = (['complete', 'replacing'] as const).map((state) => manifestOf(state, DELIVERY, parts, [file], ID));
  return states.flatMap((manifest) => {
    const written = JSON.parse(Buffer.from(encodeManifest(manifest)).toString()) as Record<string, unknown>;
    return [
      ...Object.keys(written),
      ...Object.keys((written['files'] as object[])[0]!).map((name) => `files[].${name}`),
      `state = ${String(written['state'])}`,
      `version = ${String(written['version'])}`,
    ];
  });
}

/** Keys of `Metadata`, as S3 keeps it with each object. */
function uploadMetadata(product: Product): string[] {
  return [...product.nodes(product.files('src/exports/destinations'))].flatMap((node) => {
    if (!ts.isPropertyAssignment(node) || node.name.getText() !== 'Metadata') return [];
    if (!ts.isObjectLiteralExpression(node.initializer)) return [];
    return node.initializer.properties.flatMap(({ name }) =>
      name && ts.isComputedPropertyName(name)
        ? literalsOf(product.checker.getTypeAtLocation(name.expression)).map((key) => `metadata ${key}`)
        : [],
    );
  });
}

/** Of uploads that are objects, which later runs look for, with their pieces at Google, and of the metadata of files. */
function uploadNames(): string[] {
  const upload = { key: 'folder/part.jsonl', id: idOf('<token>', '"tag"') };
  return [uploadName(upload), pieceName(upload, 1), ...Object.values(METADATA).map((name) => `metadata ${name}`)];
}

/** Beginnings of the names of stage tables, which later runs look for. */
function stages(product: Product): string[] {
  const texts = product.files('src/exports/destinations/postgres').map(({ text }) => text);
  return texts.flatMap((text) =>
    [...text.matchAll(/\$\{RESERVED_PREFIX\}(\w+_)\$\{/g)].map(([, name]) => `stage ${RESERVED_PREFIX}${name}`),
  );
}
