/** Where data can go: a type's name, and the fields that it takes, to begin from. The API checks them and says what is wrong. */
import type { Option } from '../../look/field.tsx';

type Template = Option & { config: Readonly<Record<string, unknown>> };

const FILES = { file_format: 'JSONLines', compression: 'gzip' };
const KEYS = { aws_access_key_id: '', aws_secret_access_key: '' };

export const DESTINATIONS: readonly Template[] = [
  {
    value: 'LocalFile',
    label: 'Folder of the server',
    description: 'Files below the export root of the worker.',
    config: { directory: '', ...FILES },
  },
  {
    value: 'S3',
    label: 'Amazon S3',
    description: 'Files in a bucket.',
    config: { bucket_name: '', region: 'eu-central-1', prefix: '', ...KEYS, ...FILES },
  },
  {
    value: 'S3Compatible',
    label: 'S3-compatible store',
    description: 'Files in a bucket of another store, such as MinIO or R2.',
    config: { endpoint_url: 'https://', bucket_name: '', region: 'auto', prefix: '', ...KEYS, ...FILES },
  },
  {
    value: 'Postgres',
    label: 'PostgreSQL',
    description: 'Rows in a table.',
    config: { host: '', port: 5432, user: '', password: '', database: '', schema: 'public', table_name: '' },
  },
];

export const MODELS: readonly Option[] = [
  { value: 'events', label: 'Events' },
  { value: 'persons', label: 'Persons', description: 'Versions of persons that changed in the interval.' },
  { value: 'sessions', label: 'Sessions' },
];

export const INTERVALS: readonly Option[] = [
  { value: 'hour', label: 'Hour' },
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
  { value: 'every 5 minutes', label: '5 minutes' },
];

/** @returns the text to edit */
export const configText = (config: Readonly<Record<string, unknown>>): string => JSON.stringify(config, null, 2);
