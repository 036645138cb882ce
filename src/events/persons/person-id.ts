/** The id that the person of a distinct id gets when its first event is stored, computed without asking Postgres. */
import { paddedLength, sha1 } from '../../platform/hashing/sha1.ts';

/** Namespace of our version 5 uuids; any constant does, and it never changes. */
const NAMESPACE = Buffer.from('1f0b54a6d3d34d2c9b0c5a3c1e6f7a20', 'hex');

let scratch = withNamespace(1024);
const uuid = Buffer.alloc(16);

/** @returns uuid v5 (RFC 9562) of `<project id>:<distinct id>`, lower case */
export function personIdOf(projectId: number, distinctId: string): string {
  const name = `${projectId}:${distinctId}`;
  const largest = paddedLength(NAMESPACE.length + 3 * name.length);
  if (scratch.length < largest) scratch = withNamespace(largest);
  const digest = sha1(scratch, NAMESPACE.length + scratch.write(name, NAMESPACE.length));
  for (let word = 0; word < 4; word++) uuid.writeInt32BE(digest[word]!, word * 4);
  uuid[6] = (uuid[6]! & 0x0f) | 0x50;
  uuid[8] = (uuid[8]! & 0x3f) | 0x80;
  const hex = uuid.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The persons that these distinct ids may have had before the given ones: a person has the id that its first distinct id makes. */
export function formerPersonIds({ projectId, personIds, distinctIds }: Persons): string[] {
  const present = new Set(personIds);
  return distinctIds.map((id) => personIdOf(projectId, id)).filter((id) => !present.has(id));
}

type Persons = { projectId: number; personIds: readonly string[]; distinctIds: readonly string[] };

function withNamespace(length: number): Buffer {
  const buffer = Buffer.alloc(length);
  NAMESPACE.copy(buffer);
  return buffer;
}
