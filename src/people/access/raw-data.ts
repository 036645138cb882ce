/**
 * Rights to see events and persons themselves: rows, columns, and values of properties, wherever an answer shows them. Counts of them are
 * not raw.
 */
import { PermissionDenied } from '../../platform/errors.ts';
import { reaches, type Caller, type Level, type Rights, type Scope } from '../../platform/http/access.ts';
import { allows } from './scopes.ts';

/** The kinds of raw data, by the names that rules and scopes have for them. */
export type RawData = 'event' | 'person';

/** Decides for one viewer. */
export type RawAccess = {
  /** @returns why the viewer may not see one of the kinds; undefined: they may see all of them */
  refusal(kinds: readonly RawData[]): string | undefined;
};

/** Any of these opens the kind to a key. As upstream, `query:read` reads events by queries. */
const SCOPES_OF: Readonly<Record<RawData, readonly Scope[]>> = {
  event: ['event:read', 'query:read'],
  person: ['person:read'],
};

type Viewer = { caller: Pick<Caller, 'scopes'>; rights: Pick<Rights, 'levelOf'> };

/** @returns the access of a caller: by the levels of the user and the scopes of the key */
export function rawAccess({ caller, rights }: Viewer): RawAccess {
  return {
    refusal(kinds) {
      for (const kind of kinds) {
        const [scope, ...others] = SCOPES_OF[kind];
        if (![scope!, ...others].some((one) => allows(caller.scopes, one))) {
          return `API key missing required scope '${scope}'`;
        }
      }
      return refusalByLevel(kinds, (kind) => rights.levelOf(kind));
    },
  };
}

/** @returns the access by levels alone, for data that is stored or delivered instead of answered to a key */
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
  const closed = kinds.find((kind) => !reaches(levelOf(kind), 'viewer'));
  return closed && `This shows ${closed}s: you do not have viewer access to them.`;
}

/** @param levelOf what the rules for everybody leave @returns the access of a shared link, which belongs to no member */
export function rawAccessOfLink(levelOf: (kind: RawData) => Level): RawAccess {
  return { refusal: (kinds) => refusalByLevel(kinds, levelOf) };
}
