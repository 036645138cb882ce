/** Encrypts what Temporal stores: inputs, results, failures, details. Payloads that were stored before there was a key are read as they are. */
import { fileURLToPath } from 'node:url';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import type { KeyRing } from '../secrets/key-ring.ts';

/** A payload as JSON has it, between Temporal's UI and us too: bytes in base64. */
export type PayloadJson = { metadata?: Record<string, string>; data?: string };

/** Encoding that marks an encrypted payload, which otherwise has only `data`. */
const ENCRYPTED = 'binary/encrypted';
/** Additional data of all payloads, because they have no row to be bound to. */
const BOUND_TO = 'temporal';

export function payloadCodec(keyRing: KeyRing): PayloadCodec {
  const encrypt = (payload: Payload): Payload => ({
    metadata: { encoding: Buffer.from(ENCRYPTED) },
    data: Buffer.from(keyRing.encrypt(JSON.stringify(toJson(payload)), BOUND_TO)),
  });
  const decrypt = (payload: Payload): Payload => {
    const { encoding } = payload.metadata ?? {};
    if (!encoding || Buffer.from(encoding).toString() !== ENCRYPTED) return payload;
    return fromJson(JSON.parse(keyRing.decrypt(Buffer.from(payload.data ?? []).toString(), BOUND_TO)) as PayloadJson);
  };
  return {
    encode: async (payloads) => payloads.map(encrypt),
    decode: async (payloads) => payloads.map(decrypt),
  };
}

/** The data converter of clients and workers; both must have the same. Without a codec nothing is encrypted. */
export function dataConverter(codec: PayloadCodec | undefined): DataConverter {
  return codec ? { payloadCodecs: [codec], failureConverterPath: FAILURE_CONVERTER } : {};
}

/** Path of the failure converter, which is also in the bundle of the workflows. */
export const FAILURE_CONVERTER = fileURLToPath(new URL('failure-converter.ts', import.meta.url));

export function toJson({ metadata, data }: Payload): PayloadJson {
  return {
    metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)])),
    data: base64(data ?? new Uint8Array()),
  };
}

export function fromJson({ metadata = {}, data = '' }: PayloadJson): Payload {
  return {
    metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')])),
    data: Buffer.from(data, 'base64'),
  };
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
