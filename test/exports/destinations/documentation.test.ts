import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type Destination } from '../../../src/exports/destinations/contract.ts';
import { FIELD_GROUPS } from '../../../src/exports/destinations/define.ts';
import { FILE_FORMATS, SUPPORTED_COMPRESSIONS } from '../../../src/exports/formats/file-encoding.ts';
import { destinations } from '../../../src/exports/destinations/index.ts';
import { PREFIX_VARIABLES } from '../../../src/exports/destinations/object-store/keys.ts';
import { FIRST_DELIVERIES, READER_VIEWS, REDELIVERIES } from '../../../src/exports/destinations/promises.ts';
import { validateConfig } from '../../../src/exports/integrations/destination-config.ts';
import { DEFAULT_FILE_GRACE_HOURS } from '../../../src/platform/config.ts';
import { fileExtension } from '../../../src/exports/formats/file.ts';
import { serviceAccountKey } from '../../support/servers/gcs/fake-gcs.ts';

const DOCS = new URL('../../../docs/', import.meta.url);
const OVERVIEW = readFileSync(new URL('destinations.md', DOCS), 'utf8');
const FILES = readFileSync(new URL('destinations/files.md', DOCS), 'utf8');
/** The page of each type, by the list of the overview. */
const PAGES = new Map(
  [...OVERVIEW.matchAll(/^\| \[`(\w+)`\]\(([\w/.-]+)\)/gm)].map(([, type, page]) => [type!, page!]),
);
const ALL = destinations({ localRoot: '/exports', allowedHosts: [] });

type Property = {
  type?: string;
  enum?: string[];
  anyOf?: Property[];
  items?: Property;
  default?: unknown;
  writeOnly?: boolean;
  title?: string;
  'x-group'?: string;
};
type Row = { field: string; type: string; default: string; secret: string };

describe('the documentation of destinations', () => {
  it('lists the pages of all types', () => {
    assert.deepEqual(
      [...PAGES.keys()],
      ALL.map(({ type }) => type),
    );
  });

  it('states what each type promises, and what each promise means', () => {
    const rows = rowsOf(sectionOf('Promises'));
    const promised = rows.filter((cells) => cells.length === 5 && cells[0] !== 'type' && cells[0] !== '---');
    assert.deepEqual(
      promised.map((cells) => cells.map((cell) => quotedIn(cell))),
      ALL.flatMap(({ type, promises }) =>
        promises.map(({ when, first, redelivery, readers }) => [
          [type],
          Object.entries(when).flat(),
          [first],
          [redelivery],
          [readers],
        ]),
      ),
    );
    const explained = rows
      .filter((cells) => cells.length === 3)
      .flatMap(([field, value]) => quotedIn(`${field} ${value}`));
    assert.deepEqual(
      explained,
      [
        ...FIRST_DELIVERIES.map((value) => ['first', value]),
        ...REDELIVERIES.map((value) => ['redelivery', value]),
        ...READER_VIEWS.map((value) => ['readers', value]),
      ].flat(),
    );
  });

  for (const destination of ALL) {
    const { type } = destination;

    it(`describes the fields of ${type} as its schema does, and no other`, () => {
      const sections = [
        pageOf(type),
        ...('file_format' in destination.config.properties ? [FILES] : []),
        sectionOf('Every type'),
      ];
      assert.deepEqual(sections.flatMap(documentedFields).sort(byField), fieldsOf(destination).sort(byField));
    });

    const { layout } = destination.config.properties as { layout?: { description: string } };
    if (layout)
      it(`says how long replaced files of ${type} stay, as its schema does`, () => {
        assert.ok(FILES.includes(`\`EXPORT_FILE_GRACE_HOURS\` (${DEFAULT_FILE_GRACE_HOURS}) and are then deleted`));
        assert.ok(layout.description.includes(`are deleted after ${DEFAULT_FILE_GRACE_HOURS} hours`));
      });

    it(`finds a group and a title at each field of ${type}`, () => {
      for (const [name, field] of Object.entries(destination.config.properties as Record<string, Property>)) {
        const group = (FIELD_GROUPS as readonly (string | undefined)[]).includes(field['x-group']);
        assert(group, `${name} has no group: \`addGroup\` of src/exports/destinations/define.ts gives it one`);
        assert(field.title, `${name} has no title`);
      }
    });

    it(`states what an integration brings to ${type}`, () => {
      const { integration } = destination;
      const fields = integration?.fields.map((field) => `\`${field}\``).join(', ');
      const sentence = integration ? `\`${integration.kind}\`, which brings ${fields!}.` : 'none.';
      assert.equal(/^Integration: (.*)$/m.exec(pageOf(type))?.[1], sentence);
    });

    it(`says which change of ${type} needs the secrets again`, () => {
      const named = /^A change of (.*) needs the secrets again\.$/m.exec(pageOf(type))?.[1] ?? '';
      assert.deepEqual(
        quotedIn(named),
        destination.secretsGoTo.filter((field) => field in destination.config.properties),
      );
    });

    it(`says what of ${type} was run, and against what`, () => {
      assert.match(pageOf(type), /^## What was run\n\n[A-Z][^]*\.\n$/m);
    });

    it(`shows a ${type} that is accepted`, () => {
      const [example] = jsonIn(pageOf(type)) as [{ type: string; config: Record<string, unknown> }];
      assert.equal(example.type, type);
      assert.doesNotThrow(() => validateConfig(destination, withPrivateKey(example.config)));
    });
  }

  it('shows an integration that completes the destination beside it', () => {
    const [integration, place] = jsonIn(sectionOf('Integrations')) as [
      { kind: string; config: Record<string, unknown> },
      { type: string; config: Record<string, unknown> },
    ];
    const destination = ALL.find(({ type }) => type === place.type)!;
    assert.equal(destination.integration?.kind, integration.kind);
    for (const field of Object.keys(integration.config))
      assert.ok(destination.integration.fields.includes(field), field);
    assert.doesNotThrow(() => validateConfig(destination, { ...integration.config, ...place.config }));
  });

  it('names the compressions and the extensions of each format', () => {
    for (const format of FILE_FORMATS) {
      const compressions = SUPPORTED_COMPRESSIONS[format];
      const extensions = [null, ...compressions].map((compression) => fileExtension({ format, compression }));
      const [, listed, endings] = rowsOf(FILES).find(([cell]) => cell === `\`${format}\``)!;
      assert.deepEqual(quotedIn(listed!), compressions);
      assert.deepEqual(quotedIn(endings!), [...new Set(extensions)]);
    }
  });

  it('names the variables of a prefix', () => {
    const named = rowsOf(FILES).flatMap(([cell]) => /^`(\{\w+\})`$/.exec(cell!)?.[1] ?? []);
    assert.deepEqual(named, PREFIX_VARIABLES);
  });
});

function pageOf(type: string): string {
  const page = PAGES.get(type);
  assert(page, `docs/destinations.md lists no page of ${type}`);
  return readFileSync(new URL(page, DOCS), 'utf8');
}

/** A section of the overview. */
function sectionOf(title: string): string {
  const section = OVERVIEW.split(/^## /m).find((text) => text.startsWith(`${title}\n`));
  assert(section, `there is no section "${title}"`);
  return section;
}

/** The cells of every row of every table. */
function rowsOf(text: string): string[][] {
  const rows = text.split('\n').filter((line) => line.startsWith('| '));
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Fields stand in tables of five columns. */
function documentedFields(section: string): Row[] {
  return rowsOf(section)
    .filter((cells) => cells.length === 5 && cells[0]!.startsWith('`'))
    .map(([field, type, fallback, secret, meaning]) => {
      assert.notEqual(meaning, '', `${field!} has no meaning`);
      return { field: field!.slice(1, -1), type: type!, default: fallback!, secret: secret! };
    });
}

function fieldsOf({ config }: Destination): Row[] {
  const required = (config as { required?: string[] }).required ?? [];
  return Object.entries(config.properties as Record<string, Property>).map(([field, property]) => ({
    field,
    type: typeOf(property),
    default: defaultOf(property, required.includes(field)),
    secret: property.writeOnly ? 'secret' : '',
  }));
}

function typeOf({ type, enum: values, anyOf, items }: Property): string {
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (items) return `list of ${typeOf(items)}s`;
  return type === 'string' ? 'text' : type!;
}

function defaultOf({ default: fallback }: Property, required: boolean): string {
  if (fallback !== undefined) return `\`${JSON.stringify(fallback)}\``;
  return required ? 'required' : 'none';
}

/** A private key is left out in the document. */
function withPrivateKey(config: Record<string, unknown>): Record<string, unknown> {
  const { service_account_key: key } = config;
  if (typeof key !== 'string') return config;
  const { private_key } = JSON.parse(serviceAccountKey('')) as { private_key: string };
  return { ...config, service_account_key: JSON.stringify({ ...(JSON.parse(key) as object), private_key }) };
}

function quotedIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, quoted]) => quoted!);
}

function jsonIn(section: string): unknown[] {
  return [...section.matchAll(/```json\n([^]*?)```/g)].map(([, json]) => JSON.parse(json!) as unknown);
}

function byField(a: Row, b: Row): number {
  return a.field.localeCompare(b.field);
}
