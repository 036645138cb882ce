/**
 * Parses versions of apps, and compares them by semver's precedence (semver.org, section 11). Accepts more than semver: a leading `v`,
 * leading zeros (`3.08`) and missing parts (`3.10`). Ranges mean the same as in Cargo's requirements.
 */

/** Identifiers of a pre-release or of build metadata. Integers compare as numbers, and sort before names. */
type Identifiers = readonly (bigint | string)[];

export type Version = {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly preRelease: Identifiers;
  readonly build: Identifiers;
};

const MAX_NUMBER = 2n ** 64n;
const SUFFIX = String.raw`(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?`;
const VERSION = new RegExp(String.raw`^(\d+)(?:\.(\d+))?(?:\.(\d+))?${SUFFIX}$`);
const WILDCARD = /^(\d+|[*xX])(?:\.(\d+|[*xX]))?(?:\.(\d+|[*xX]))?$/;
/** Version with a fourth part, as in .NET. Such versions are not ordered, and only the first three parts are compared for equality. */
const FOURTH_PART = /^(v?\s*\d+\.\d+\.\d+)(\.\d+)+\s*$/;

const MAX_CACHED_VERSIONS = 1_000;
const MAX_CACHED_LENGTH = 32;
/** Characters of a version, the same limit as npm's; longer texts are not versions. Also bounds the digits of its numbers. */
export const MAX_VERSION_LENGTH = 256;
const knownVersions = new Map<string, Version | undefined>();

/** Parses a version and caches it, because few occur at a time and a look-up is ten times as fast. */
export function versionOf(text: string): Version | undefined {
  if (text.length > MAX_CACHED_LENGTH) return readVersion(text);
  let version = knownVersions.get(text);
  if (version !== undefined || knownVersions.has(text)) return version;
  if (knownVersions.size >= MAX_CACHED_VERSIONS) knownVersions.clear();
  version = readVersion(text);
  knownVersions.set(text, version);
  return version;
}

function readVersion(text: string): Version | undefined {
  // tooth: version-length
  if (text.length > MAX_VERSION_LENGTH) return undefined;
  const [, major, minor = '0', patch = '0', preRelease, build] = VERSION.exec(withoutPrefix(text)) ?? [];
  if (major === undefined) return undefined;
  const numbers = [BigInt(major), BigInt(minor), BigInt(patch)] as const;
  const preReleases = identifiersOf(preRelease, { leadingZeros: false });
  const builds = identifiersOf(build, { leadingZeros: true });
  if (!preReleases || !builds || numbers.some((number) => number >= MAX_NUMBER)) return undefined;
  return { numbers: [...numbers], preRelease: preReleases, build: builds };
}

/** Same as `versionOf`, for equality only: ignores everything after the third number. */
export function comparableVersionOf(text: string): Version | undefined {
  if (text.length > MAX_VERSION_LENGTH) return undefined;
  return versionOf(FOURTH_PART.exec(text)?.[1] ?? text);
}

/** Removes a leading `v`, then surrounding spaces. */
function withoutPrefix(text: string): string {
  return (text.startsWith('v') ? text.slice(1) : text).trim();
}

function identifiersOf(text: string | undefined, { leadingZeros }: { leadingZeros: boolean }): Identifiers | undefined {
  if (text === undefined) return [];
  const parts = text.split('.');
  const isMalformed = parts.some((part) => part === '' || (!leadingZeros && /^0\d+$/.test(part)));
  return isMalformed ? undefined : parts.map((part) => (/^\d+$/.test(part) ? BigInt(part) : part));
}

/** Returns -1, 0 or 1. Build metadata decides last, so versions that differ only in it are not equal. */
export function compareVersions(a: Version, b: Version): number {
  const numbers = compareLists(a.numbers, b.numbers);
  if (numbers !== 0) return numbers;
  // A release is above its pre-releases.
  if (a.preRelease.length === 0 || b.preRelease.length === 0) {
    const releases = Math.sign(b.preRelease.length - a.preRelease.length);
    if (releases !== 0) return releases;
  }
  return compareLists(a.preRelease, b.preRelease) || compareLists(a.build, b.build);
}

function compareLists(a: Identifiers, b: Identifiers): number {
  for (const [index, left] of a.entries()) {
    const right = b[index];
    if (right === undefined) return 1;
    if (left === right) continue;
    if (typeof left !== typeof right) return typeof left === 'bigint' ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return a.length === b.length ? 0 : -1;
}

/** `[from, below)`, without end if `below` is undefined. Contains pre-releases only if `from` is a pre-release with the same numbers. */
export type VersionRange = { readonly from: Version; readonly below: Version | undefined };

export function isInRange(version: Version, { from, below }: VersionRange): boolean {
  if (compareLists(version.numbers, from.numbers) !== 0 && version.preRelease.length > 0) return false;
  if (version.preRelease.length > 0 && from.preRelease.length === 0) return false;
  // Ranges ignore build metadata.
  if (compareVersions({ ...version, build: [] }, { ...from, build: [] }) < 0) return false;
  return below === undefined || compareLists(version.numbers, below.numbers) < 0;
}

/** `~1.2.3`: from 1.2.3, below 1.3.0. */
export function tildeRange(text: string): VersionRange | undefined {
  const from = versionOf(text);
  return from && { from, below: release(from.numbers[0], from.numbers[1] + 1n) };
}

/** `^1.2.3`: from 1.2.3, as long as the leftmost number that is not zero is the same. */
export function caretRange(text: string): VersionRange | undefined {
  const from = versionOf(text);
  if (!from) return undefined;
  const [major, minor, patch] = from.numbers;
  if (major > 0n) return { from, below: release(major + 1n) };
  return { from, below: minor > 0n ? release(0n, minor + 1n) : release(0n, 0n, patch + 1n) };
}

/** `1.*`, `1.2.*`, `1.*.*`, `*`. Only stars may follow a star; a version without a star means the same as with a caret. */
export function wildcardRange(text: string): VersionRange | undefined {
  const found = text.length > MAX_VERSION_LENGTH ? undefined : WILDCARD.exec(withoutPrefix(text));
  if (!found) return undefined;
  const parts = found.slice(1).filter((part) => part !== undefined);
  const star = parts.findIndex(isStar);
  if (star === -1) return plainRange(parts.map(BigInt));
  if (!parts.slice(star).every(isStar)) return undefined;
  const [major, minor] = parts.slice(0, star).map(BigInt);
  if (major === undefined) return { from: release(), below: undefined };
  if (minor === undefined) return { from: release(major), below: release(major + 1n) };
  return { from: release(major, minor), below: release(major, minor + 1n) };
}

function isStar(part: string): boolean {
  return !/\d/.test(part);
}

/** A requirement without an operator means the same as with a caret. Omitted parts are open: `0.0` is below 0.1.0, `0` below 1.0.0. */
function plainRange([major = 0n, minor, patch]: bigint[]): VersionRange | undefined {
  const from = release(major, minor, patch);
  if (major > 0n || minor === undefined) return { from, below: release(major + 1n) };
  if (minor > 0n || patch === undefined) return { from, below: release(0n, minor + 1n) };
  return { from, below: release(0n, 0n, patch + 1n) };
}

function release(major = 0n, minor = 0n, patch = 0n): Version {
  return { numbers: [major, minor, patch], preRelease: [], build: [] };
}
