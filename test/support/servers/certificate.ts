/** A self-signed certificate: X.509 encoded by hand (RFC 5280), because Node makes keys but not certificates. */
import { generateKeyPairSync, sign } from 'node:crypto';

const ECDSA_WITH_SHA256 = sequence(derElement(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
const COMMON_NAME = Buffer.from('550403', 'hex');
const SUBJECT_ALT_NAME = Buffer.from('551d11', 'hex');

/** The certificate's default address, as four bytes. */
const LOOPBACK = Buffer.from([127, 0, 0, 1]);

/** @param name DNS name @param options `until`: last valid year, of two digits @returns PEM of key and certificate, valid from 2020 on */
export function selfSignedCertificate(
  name: string,
  { until = 49, address = LOOPBACK } = {},
): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = sequence(
    derElement(0x31, sequence(derElement(0x06, COMMON_NAME), derElement(0x0c, Buffer.from(name)))),
  );
  const names = sequence(derElement(0x82, Buffer.from(name)), derElement(0x87, address));
  const body = sequence(
    derElement(0xa0, derElement(0x02, Buffer.from([2]))),
    derElement(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    subject,
    sequence(derElement(0x17, Buffer.from('200101000000Z')), derElement(0x17, Buffer.from(`${until}1231235959Z`))),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    derElement(0xa3, sequence(sequence(derElement(0x06, SUBJECT_ALT_NAME), derElement(0x04, names)))),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]);
  const der = sequence(body, ECDSA_WITH_SHA256, derElement(0x03, signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

/** One DER element. */
function derElement(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...elements: Uint8Array[]): Buffer {
  return derElement(0x30, Buffer.concat(elements));
}
