/** Faults that the form shows at their fields: the server's error, and the field that a link leads to. */
import { createContext, useContext } from 'react';
import { ApiError, messageOf } from '../../api/client.ts';
import { withLabels } from '../words/field.ts';
import type { DestinationType } from './destination-types.ts';
import type { Draft } from './draft.ts';

export type Problem = {
  /** @returns what is wrong with the field */
  at(attr: string): string | undefined;
  /** @returns what is wrong with the field or with a part of it */
  under(attr: string): string | undefined;
  /** Whether the field is the one that a link leads to. */
  isWanted(attr: string): boolean;
};

const isUnder = (outer: string, one: string | null | undefined) => one === outer || one?.startsWith(`${outer}__`);

export function problemOf(error: unknown, wanted: string | undefined, type?: DestinationType): Problem {
  const words = () => withLabels(messageOf(error), type?.fields ?? []);
  const attr = error instanceof ApiError ? error.attr : null;
  return {
    at: (one) => (attr === one ? words() : undefined),
    under: (one) => (isUnder(one, attr) === true ? words() : undefined),
    isWanted: (one) => isUnder(one, wanted) === true,
  };
}

/** @returns the fault of the first filter without a property */
export function filterFault(filters: Draft['filters']): ApiError | undefined {
  const blank = filters.findIndex(({ key }) => key === '');
  if (blank < 0) return undefined;
  return new ApiError(400, { detail: `Filter ${blank + 1}: This field is required.`, attr: 'filters' });
}

export const ProblemContext = createContext<Problem>(problemOf(undefined, undefined));
export const useProblem = (): Problem => useContext(ProblemContext);
