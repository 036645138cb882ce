/** A destination in a few words: `s3://lake/orders`, `postgres public.clicks`, `folder coffee`. */
export type DestinationOf = { type: string; config: { [name: string]: unknown } };

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function folderOf(config: DestinationOf['config']): string {
  const prefix = textOf(config['prefix']).replace(/^\/|\/$/g, '');
  return prefix && `/${prefix}`;
}

export function destinationWords({ type, config }: DestinationOf): string {
  switch (type) {
    case 'LocalFile':
      return `folder ${textOf(config['directory'])}`;
    case 'S3':
    case 'AwsS3':
    case 'S3Compatible':
      return `s3://${textOf(config['bucket_name'])}${folderOf(config)}`;
    case 'AzureBlob':
      return `azure://${textOf(config['container_name'])}${folderOf(config)}`;
    case 'GCS':
      return `gs://${textOf(config['bucket_name'])}${folderOf(config)}`;
    case 'Postgres':
      return `postgres ${textOf(config['schema'])}.${textOf(config['table_name'])}`;
    case 'Iceberg':
      return `iceberg ${textOf(config['namespace'])}.${textOf(config['table_name'])}`;
    default:
      return type;
  }
}

/** A destination in the same words, from the label that lists have instead of the configuration. */
export function labelWords({ type, label }: { type: string; label: string }): string {
  const kind = { LocalFile: 'folder', Postgres: 'postgres', Iceberg: 'iceberg' }[type];
  return kind ? `${kind} ${label}` : label || type;
}
