/**
 * Rights to raw data: rows and columns of events and persons, and values of their properties, in any answer. Counts are not raw data.
 */
import { PermissionDenied } from '../../platform/errors.ts';
import { reaches, type Caller, type Level, type Rights, type Scope } from '../../platform/http/access.ts';
import { allows } from './scopes.ts';

/** The kinds of raw data, named as in rules and scopes. */
export type RawData = 'event' | 'person';

/** Access of one viewer to raw data. */
export type RawAccess = {
  /** @returns why the viewer may not see one of the kinds; undefined if all are visible */
  refusal(kinds: readonly RawData[]): string | undefined;
};

/** Scopes by kind, any of which gives a key access. As at upstream, `query:read` includes events, which queries return. */
const SCOPES_OF: Readonly<Record<RawData, readonly Scope[]>> = {
  event: ['event:read', 'query:read'],
  person: ['person:read'],
};

type Viewer = { caller: Pick<Caller, 'scopes'>; rights: Pick<Rights, 'levelOf'> };

/** @returns the access of a caller, by the user's levels and the key's scopes */
export function rawAccess({ caller, rights }: Viewer): RawAccess {
  return {
    refusal(kinds) {
      for (const kind of kinds) {
        const [scope, ...others] = SCOPES_OF[kind];
        if (![scope!, ...others].some((required) => allows(caller.scopes, required))) {
          return `API key missing required scope '${scope}'`;
        }
      }
      return refusalByLevel(kinds, (kind) => rights.levelOf(kind));
    },
  };
}

/** @returns the access by levels alone, for data that is stored or delivered rather than returned to a key */
export function rawAccessByLevel(rights: Pick<Rights, 'levelOf'>): RawAccess {
  return { refusal: (kinds) => refusalByLevel(kinds, (kind) => rights.levelOf(kind)) };
}

/** @throws PermissionDenied naming what is missing */
export function ensureRaw(access: RawAccess, kinds: readonly RawData[]): void {
  const refusal = access.refusal(kinds);
  // tooth: raw-data
  if (refusal !== undefined) throw new PermissionDenied(refusal);
}

function refusalByLevel(kinds: readonly RawData[], levelOf: (kind: RawData) => Level): string | undefined {
  const hiddenKind = kinds.find((kind) => !reaches(levelOf(kind), 'viewer'));
  return hiddenKind && `This shows ${hiddenKind}s: you do not have viewer access to them.`;
}

/** @param levelForEverybody the level by the rules for everybody @returns the access of a shared link, which belongs to no member */
export function rawAccessOfLink(levelForEverybody: (kind: RawData) => Level): RawAccess {
  return { refusal: (kinds) => refusalByLevel(kinds, levelForEverybody) };
}
