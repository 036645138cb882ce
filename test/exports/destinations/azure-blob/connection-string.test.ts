import assert from 'node:assert/strict';
import { parseConnectionString } from '../../../../src/exports/destinations/azure-blob/connection-string.ts';
import { destinationOf } from '../../../../src/exports/destinations/index.ts';
import { validateConfig } from '../../../../src/exports/integrations/destination-config.ts';
import { InvalidInput } from '../../../../src/platform/errors.ts';

const KEY = 'Y2FuYXJ5LWtleQ==';
const SAS = 'sv=2024-11-04&ss=b&srt=co&sp=rwdlac&se=2030-01-01T00%3A00%3A00Z&sig=canary%2Bsignature%3D';

const ENDPOINTS: readonly [string, string][] = [
  [`AccountName=lake;AccountKey=${KEY}`, 'https://lake.blob.core.windows.net'],
  [
    `DefaultEndpointsProtocol=https;AccountName=lake;AccountKey=${KEY};EndpointSuffix=core.chinacloudapi.cn`,
    'https://lake.blob.core.chinacloudapi.cn',
  ],
  [`DefaultEndpointsProtocol=http;AccountName=lake;AccountKey=${KEY};`, 'http://lake.blob.core.windows.net'],
  [`AccountName=lake;AccountKey=${KEY};BlobEndpoint=http://127.0.0.1:10000/lake/`, 'http://127.0.0.1:10000/lake'],
  [
    `BlobEndpoint=https://LAKE.blob.core.windows.net/;SharedAccessSignature=${SAS}`,
    'https://lake.blob.core.windows.net',
  ],
  // As Azure's portal writes it.
  [
    'BlobEndpoint=https://lake.blob.core.windows.net/;QueueEndpoint=https://lake.queue.core.windows.net/;' +
      `FileEndpoint=https://lake.file.core.windows.net/;TableEndpoint=https://lake.table.core.windows.net/;SharedAccessSignature=?${SAS}`,
    'https://lake.blob.core.windows.net',
  ],
];

const REFUSED = [
  'UseDevelopmentStorage=true',
  'canary',
  '',
  `AccountName=lake`,
  `AccountKey=${KEY}`,
  `AccountName=lake;AccountKey=${KEY};SharedAccessSignature=${SAS}`,
  `AccountName=lake;AccountName=lake;AccountKey=${KEY}`,
  `AccountName=lake;AccountKey=${KEY};Canary=1`,
  `AccountName=lake;AccountKey=canary key`,
  `AccountName=canary.example/;AccountKey=${KEY}`,
  `AccountName=lake;AccountKey=${KEY};EndpointSuffix=canary.example/x`,
  `AccountName=lake;AccountKey=${KEY};EndpointSuffix=a@canary.example`,
  `AccountName=lake;AccountKey=${KEY};DefaultEndpointsProtocol=file`,
  `AccountName=lake;AccountKey=${KEY};BlobEndpoint=file:///canary`,
  `AccountName=lake;AccountKey=${KEY};BlobEndpoint=https://user:canary@lake.example`,
  `AccountName=lake;AccountKey=${KEY};BlobEndpoint=https://lake.example/a/canary`,
  `AccountName=lake;AccountKey=${KEY};BlobEndpoint=https://lake.example/?canary`,
  `SharedAccessSignature=${SAS}`,
  `AccountName=lake;SharedAccessSignature=canary`,
  `AccountName=lake;SharedAccessSignature=${SAS}#canary`,
  `AccountName=lake;SharedAccessSignature=${SAS} canary`,
];

describe('a connection string of Azure', () => {
  for (const [text, endpoint] of ENDPOINTS) {
    it(`names ${endpoint} by ${[...text.matchAll(/(\w+)=[^;]+/g)].map(([, name]) => name).join(', ')}`, () => {
      assert.equal(parseConnectionString(text).endpoint, endpoint);
    });
  }

  for (const text of REFUSED) {
    it(`is refused without a word of it: ${text}`, () => {
      assert.throws(
        () => parseConnectionString(text),
        (error) =>
          error instanceof InvalidInput &&
          error.attr === 'connection_string' &&
          !/canary|lake/i.test(error.message) &&
          !error.message.includes(KEY),
      );
    });
  }

  it('decides the endpoint of a configuration, whatever else was given', () => {
    const destination = destinationOf('AzureBlob', { localRoot: undefined, allowedHosts: [] });
    const config = {
      container_name: 'exports',
      connection_string: `AccountName=lake;AccountKey=${KEY}`,
      blob_endpoint: 'https://other.example',
    };
    assert.equal(validateConfig(destination, config)['blob_endpoint'], 'https://lake.blob.core.windows.net');
    assert.throws(
      () => validateConfig(destination, { ...config, connection_string: 'AccountName=lake' }),
      (error) => error instanceof InvalidInput && error.attr === 'destination__config__connection_string',
    );
  });
});
