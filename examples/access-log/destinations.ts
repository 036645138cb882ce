/** The destinations that the check knows: how to ask Sluice for an export to each, and how to read what arrived. */
import type { Content } from './content.ts';
import { localFiles, readFiles, s3Files, type S3Place } from './files.ts';
import { readTable } from './table.ts';

export type Places = {
  /** The server's EXPORT_LOCAL_ROOT, where this process can read it. */
  localRoot?: string;
  s3?: S3Place;
  postgresUrl?: string;
};

export type Target = {
  title: string;
  /** As in the body that creates a batch export. */
  destination: { type: string; config: Record<string, unknown> };
  /** By default an hour; longer intervals take fewer runs. */
  interval?: 'hour' | 'day';
  read(exportId: string): Promise<Content>;
};

/** @param name sets this check's files and tables apart from those of others */
export function targetsOf(places: Places, projectId: number, name: string): Target[] {
  const { localRoot, s3, postgresUrl } = places;
  return [
    ...(localRoot === undefined ? [] : [localTarget(localRoot, projectId, name)]),
    ...(s3 === undefined ? [] : [s3Target(s3, name)]),
    ...(postgresUrl === undefined ? [] : [postgresTarget(postgresUrl, name)]),
  ];
}

function localTarget(root: string, projectId: number, name: string): Target {
  return {
    title: 'LocalFile',
    destination: {
      type: 'LocalFile',
      config: { directory: name, prefix: '{year}/{month}/{day}', file_format: 'JSONLines', compression: 'gzip' },
    },
    read: (exportId) => readFiles(localFiles(root, `${projectId}/${name}`), exportId),
  };
}

function s3Target(place: S3Place, name: string): Target {
  return {
    title: 'S3',
    destination: {
      type: 'S3Compatible',
      config: {
        endpoint_url: place.endpoint,
        bucket_name: place.bucket,
        region: place.region,
        prefix: name,
        aws_access_key_id: place.accessKeyId,
        aws_secret_access_key: place.secretAccessKey,
        file_format: 'JSONLines',
        compression: 'zstd',
      },
    },
    read: (exportId) => readFiles(s3Files(place, name), exportId),
  };
}

function postgresTarget(url: string, name: string): Target {
  const { hostname, port, username, password, pathname } = new URL(url);
  const table = name.replaceAll('-', '_');
  return {
    title: 'Postgres',
    destination: {
      type: 'Postgres',
      config: {
        host: hostname,
        port: port === '' ? 5432 : Number(port),
        user: decodeURIComponent(username),
        password: decodeURIComponent(password),
        database: decodeURIComponent(pathname.slice(1)),
        schema: 'public',
        table_name: table,
      },
    },
    read: (exportId) => readTable(url, table, exportId),
  };
}
