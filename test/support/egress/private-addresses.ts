/** Ways to write a private address, or to hide one behind a name. */

/** Addresses of this machine, private networks, and services that clouds have inside. */
const INSIDE = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
] as const;

const OTHER_ADDRESSES = [
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '100::1',
  '2001:2::1',
  '2001:10::1',
  '2001:db8::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
];

const bytesOf = (ipv4: string) => ipv4.split('.').map(Number) as [number, number, number, number];
const hex = (...bytes: number[]) => bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** IPv6 addresses that contain an IPv4 address, to which a network or the system may translate them. */
function embeddings(ipv4: string): string[] {
  const [a, b, c, d] = bytesOf(ipv4);
  const words = `${hex(a, b)}:${hex(c, d)}`;
  return [
    `::ffff:${ipv4}`,
    `::ffff:${words}`,
    `0:0:0:0:0:ffff:${words}`,
    `::${words}`,
    `::ffff:0:${words}`,
    `64:ff9b::${words}`,
    `64:ff9b:1::${words}`,
    `2002:${words}::1`,
    `2001:0:${words}::1`,
    `fe80::5efe:${words}`,
  ];
}

const octal = (byte: number) => `0${byte.toString(8)}`;

/** Spellings of an IPv4 address other than the usual one. */
function spellings(ipv4: string): string[] {
  const [a, b, c, d] = bytesOf(ipv4);
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  return [
    String(number),
    `0x${number.toString(16)}`,
    `0${number.toString(8)}`,
    `0x${hex(a)}.0x${hex(b)}.0x${hex(c)}.0x${hex(d)}`,
    [a, b, c, d].map(octal).join('.'),
    `${octal(a)}.${b}.${c}.0x${hex(d)}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    [a, b, c, d].map((byte) => String(byte).padStart(4, '0')).join('.'),
    `${ipv4}.`,
    `${ipv4}..`,
    ipv4.replaceAll('.', '。'),
    ipv4.replaceAll('.', '%2e'),
    ipv4.replaceAll('.', '．'),
    Buffer.from(ipv4).toString('hex').replaceAll(/../g, '%$&'),
    ipv4.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    ipv4.replaceAll(/[1-9]/g, (digit) => String.fromCodePoint(0x2460 + Number(digit) - 1)),
    ` ${ipv4}`,
    `${ipv4} `,
    `\t${ipv4}`,
    `${ipv4}\n`,
    `${ipv4}\0`,
    `${ipv4}%00.example.com`,
    `${ipv4}:80`,
    `user@${ipv4}`,
    `user:password@${ipv4}`,
    `8.8.8.8@${ipv4}`,
    `${ipv4}#@8.8.8.8`,
    `${ipv4}?@8.8.8.8`,
    `${ipv4}\\@8.8.8.8`,
    `${ipv4}/x@8.8.8.8`,
    `8.8.8.8:443@${ipv4}`,
    `[::ffff:${ipv4}`,
    `[::ffff:${ipv4}%25lo]`,
    `::ffff:${ipv4}%lo`,
  ];
}

const OTHER_SPELLINGS = [
  '[::1%25lo]',
  '[fe80::1%eth0]',
  '[0000::1]:443@8.8.8.8',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'ｌｏｃａｌｈｏｓｔ',
  'local\u00adhost',
  'localhost.',
  'localhost..',
  'LOCALHOST%00',
  'unix:/var/run/docker.sock',
  '/var/run/postgresql',
  '/tmp/.s.PGSQL.5432',
  '@/abstract',
  '\\\\127.0.0.1\\share',
  '127.0.0.1,8.8.8.8',
  '8.8.8.8,127.0.0.1',
];

/** Names that lead inside on some machine, in some cloud, or by a name server of a stranger. */
const NAMES_INSIDE = [
  'localhost',
  'localhost.localdomain',
  'ip6-localhost',
  'ip6-loopback',
  'lake.localhost',
  'metadata',
  'metadata.google.internal',
  'instance-data.ec2.internal',
  'kubernetes.default.svc.cluster.local',
  'host.docker.internal',
  'postgres',
  '127.0.0.1.nip.example',
  '7f000001.nip.example',
  'xn--bcher-kva.example',
];

/** A way to a private address. `saved` and `later`: answers of name servers for the host when it is saved, and afterwards. */
export type Way = { name: string; host: string; saved?: readonly string[]; later?: readonly string[] };

export const PUBLIC_ADDRESS = '8.8.8.8';

const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address);

/** All ways by a host, whatever the field that takes it. */
export function waysByHost(): Way[] {
  const addresses = [...new Set([...INSIDE, ...INSIDE.flatMap(embeddings), ...OTHER_ADDRESSES])];
  // Some of the spellings of most addresses are equal in kind, so those of three stand for all.
  const spelled = [...['127.0.0.1', '10.0.0.1', '169.254.169.254'].flatMap(spellings), ...OTHER_SPELLINGS];
  return [
    ...addresses.map((address) => ({ name: `the address ${address}`, host: bracketed(address) })),
    ...spelled.map((host) => ({ name: `the spelling ${JSON.stringify(host)}`, host })),
    ...NAMES_INSIDE.map((host) => ({ name: `the name ${host}`, host, saved: ['127.0.0.1'], later: ['127.0.0.1'] })),
    ...addresses.map((address, index) => ({
      name: `a name that leads to ${address}`,
      host: `inside-${index}.example.com`,
      saved: [address],
      later: [address],
    })),
    ...addresses.map((address, index) => ({
      name: `a name that leads to ${address} after it was saved`,
      host: `rebound-${index}.example.com`,
      saved: [PUBLIC_ADDRESS],
      later: index % 3 === 0 ? [PUBLIC_ADDRESS, address] : index % 3 === 1 ? [address, PUBLIC_ADDRESS] : [address],
    })),
  ];
}

/** URLs that a parser may read as another one than a check does; `PORT` stands for a port. */
export const URL_WAYS = [
  'https:127.0.0.1:PORT',
  'https:/127.0.0.1:PORT',
  'https:///127.0.0.1:PORT',
  '//127.0.0.1:PORT',
  '\\\\127.0.0.1:PORT',
  'https:\\\\127.0.0.1:PORT',
  'https://8.8.8.8\\@127.0.0.1:PORT',
  'https://8.8.8.8%40127.0.0.1:PORT',
  'https://127.0.0.1:PORT%2f@8.8.8.8',
  'https://8.8.8.8:80:PORT',
  'https://8.8.8.8 @127.0.0.1:PORT',
  'ht\ntps://127.0.0.1:PORT',
  ' https://127.0.0.1:PORT',
  'https://127.0.0.1:PORT\r\nHost: example.com',
  'http://127.0.0.1:PORT',
  'http://8.8.8.8',
  'file:///etc/passwd',
  'file://127.0.0.1/etc/passwd',
  'ftp://127.0.0.1:PORT',
  'gopher://127.0.0.1:PORT/_x',
  'unix:///var/run/docker.sock',
  'http+unix://%2fvar%2frun%2fdocker.sock/x',
  'data:text/plain,x',
  'javascript:x',
  'blob:https://127.0.0.1:PORT/x',
  'wss://127.0.0.1:PORT',
  'https://[::1:PORT',
  'https://:PORT',
  'https://',
] as const;
