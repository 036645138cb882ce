/** Faults of destinations: for each code the people who can end it, the field, and the sentence. Printed in docs/faults.md. */
import { DestinationRejected, DestinationUnavailable, type Fault, type FaultOwner } from '../../platform/errors.ts';

/** A code, once released, keeps its meaning; the sentence may change. */
export type KnownFault = {
  owner: FaultOwner;
  /** The configuration field to correct, in the export or, if an integration supplies it, in the integration. */
  field?: string;
  /** The same delivery would always fail with this fault, so there is no automatic retry. */
  final?: boolean;
  sentence: string;
  /** Codes of the driver or of the system, and statuses. */
  rawCodes?: readonly (string | number)[];
};

export type FaultTable = Readonly<Record<string, KnownFault>>;

/** Prefix of a configuration's fields in the `attr` of error responses. */
export const CONFIG_ATTR = 'destination__config__';

type FaultDetails = {
  cause?: unknown;
  /** More specific sentence that replaces the table's. */
  sentence?: string;
};

/** @returns a function that makes the error for a code of the table */
export function errorMaker<Table extends FaultTable>(table: Table) {
  return (
    code: keyof Table & string,
    { cause, sentence }: FaultDetails = {},
  ): DestinationRejected | DestinationUnavailable => {
    const known: KnownFault = table[code]!;
    const field = known.field === undefined ? null : `${CONFIG_ATTR}${known.field}`;
    const fault: Fault = { code, owner: known.owner, field };
    const options = { fault, ...(cause !== undefined && { cause }) };
    return known.final
      ? new DestinationRejected(sentence ?? known.sentence, options)
      : new DestinationUnavailable(sentence ?? known.sentence, options);
  };
}

/** @returns a table's code for each raw code of the driver or the system */
export function codesByRawCode<Table extends FaultTable>(
  table: Table,
): ReadonlyMap<string | number, keyof Table & string> {
  return new Map(
    Object.entries(table).flatMap(([code, { rawCodes = [] }]) => rawCodes.map((rawCode) => [rawCode, code] as const)),
  );
}
