/** Signs requests to a catalog of AWS (Glue, S3 Tables) by Signature Version 4, in place of a token. */
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Request } from '../../../../platform/net/post.ts';
import type { S3Access } from '../../s3/client.ts';

export type SigningAccess = {
  /** A key, or a function that each signature asks for one. */
  credentials: S3Access['credentials'];
  /** The service and the region that the signature is for. */
  name: string;
  region: string;
};

/** The service of AWS that answers at the host; `execute-api`, which is the specification's default, at others. */
export function signingNameOf(catalogUri: string): string {
  const [, service = 'execute-api'] =
    /^(glue|s3tables)\..+\.amazonaws\.com(?:\.cn)?$/.exec(new URL(catalogUri).hostname) ?? [];
  return service;
}

type Signable = Required<Pick<Request, 'method' | 'url' | 'headers'>> & { body: string };

/** @returns a function that returns the request's headers with a signature of the request as it is sent now, or throws what `credentials` does */
export function requestSigner({ credentials, name, region }: SigningAccess) {
  const signer = new SignatureV4({ service: name, region, credentials, sha256: Sha256 });
  return async ({ method, url, headers, body }: Signable): Promise<Record<string, string>> => {
    const signed = await signer.sign({
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { ...headers, host: url.host },
      body,
    });
    return signed.headers;
  };
}
