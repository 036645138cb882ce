/** The text of docs/faults.md, from the tables of faults. */
import type { KnownFault } from '../../src/exports/destinations/faults.ts';
import { AZURE_FAULTS } from '../../src/exports/destinations/azure-blob/faults.ts';
import { GCS_FAULTS } from '../../src/exports/destinations/gcs/faults.ts';
import { HTTP_FAULTS } from '../../src/exports/destinations/http/faults.ts';
import { ICEBERG_FAULTS } from '../../src/exports/destinations/iceberg/faults.ts';
import { LOCAL_FILE_FAULTS } from '../../src/exports/destinations/local-file/faults.ts';
import { POSTGRES_FAULTS } from '../../src/exports/destinations/postgres/faults.ts';
import { S3_FAULTS } from '../../src/exports/destinations/s3/faults.ts';
import { RUN_FAULTS, type RunFault } from '../../src/exports/faults/run-faults.ts';

const INTRODUCTION = `<!-- Generated from the tables of faults in src/exports by \`npm run docs:faults\`. Do not edit. -->

# Faults

A run that failed, or is being retried, has an \`error\` beside the sentence in \`latest_error\`, and so has its batch export as long as the data
interval has not been delivered:

\`\`\`json
{
  "code": "bucket_not_found",
  "owner": "you",
  "field": "destination__config__bucket_name",
  "detail": "The bucket does not exist.",
  "next_try_at": "2026-11-22T13:05:00.000000Z"
}
\`\`\`

- \`code\` keeps its meaning for ever; sentences may be improved. New codes are added: treat one that you do not know by its \`owner\`.
- \`owner\` can end it. \`you\`: the people who configure the export, by a field or by rights that they give at the destination. \`destination\`: its
  operators, or time. \`sluice\`: the operators of this installation, or time.
- \`field\` is the field of the batch export that ends it, as \`attr\` names it in error responses. Fields that an integration brings are
  \`destination__integration\`: correct the integration, or choose another one. Values are never named.
- \`next_try_at\` is the next attempt of a run under way, or the next run of the data interval of one that has ended. It is null if nothing tries it
  again automatically, and in the past once that has happened.

Runs that failed before this was kept have an \`error\` by the class of the failure, such as \`destination_rejected\`, or none.

In the tables below, "again" says whether the same delivery is tried again automatically. Fields of a destination stand without the
\`destination__config__\` before them. Sentences may say more than here, such as the name of a column.
`;

type Known = Readonly<Record<string, KnownFault | RunFault>>;

const SECTIONS: readonly (readonly [title: string, about: string, faults: Known])[] = [
  [
    'LocalFile',
    'The folder of `EXPORT_LOCAL_ROOT`, which belongs to the operators of this installation.',
    LOCAL_FILE_FAULTS,
  ],
  ['S3, AwsS3, S3Compatible', 'By the code or the status that the store answers.', S3_FAULTS],
  ['AzureBlob', 'By the code or the status that the store answers.', AZURE_FAULTS],
  ['GCS', 'By the reason or the status that the store answers.', GCS_FAULTS],
  ['Postgres', 'By the SQLSTATE that the server answers, which the sentence ends with.', POSTGRES_FAULTS],
  [
    'Iceberg',
    'Of the catalog, of the table, and of the storage of its files, by the code or the status that the one or the other answers.',
    ICEBERG_FAULTS,
  ],
  ['HTTP', 'By the status of the answer, which the sentence ends with.', HTTP_FAULTS],
  ['Every destination', 'Of the source, of the course of a run, and of this installation.', RUN_FAULTS],
];

function rowOf([code, { owner, field, final = false, sentence }]: [string, KnownFault | RunFault]): string {
  const cells = [`\`${code}\``, owner, field === undefined ? '' : `\`${field}\``, final ? 'no' : 'yes', sentence];
  return `| ${cells.join(' | ')} |`;
}

export function faultsPage(): string {
  const sections = SECTIONS.flatMap(([title, about, faults]) => [
    `## ${title}`,
    '',
    about,
    '',
    '| code | owner | field | again | sentence |',
    '| --- | --- | --- | --- | --- |',
    ...Object.entries(faults).map(rowOf),
    '',
  ]);
  return [INTRODUCTION, ...sections].join('\n');
}
