/** From an error to the fault that a run's row keeps. */
import { isDatabaseAway } from '../../platform/db/away.ts';
import { InvalidInput, SluiceError, type Fault } from '../../platform/errors.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import { CONFIG_ATTR } from '../destinations/faults.ts';
import { anyDestination } from '../destinations/index.ts';
import { faultOfType, RUN_FAULTS, runFault, type RunFaultCode } from './run-faults.ts';

export function faultOf(error: unknown): Fault {
  if (error instanceof SluiceError && error.fault) return error.fault;
  if (error instanceof InvalidInput) {
    const code = Object.hasOwn(RUN_FAULTS, error.code) ? (error.code as RunFaultCode) : 'invalid_input';
    return { ...runFault(code), ...(error.attr !== null && { field: error.attr }) };
  }
  if (isDatabaseAway(error)) return runFault('source_unavailable');
  return faultOfType(error instanceof Error ? error.name : '');
}

const isText = (text: unknown) => typeof text === 'string' && text.length <= 200;

/** A fault as a history has it: from a worker of another version, perhaps. */
export function isFault(given: unknown): given is Fault {
  const { code, owner, field } = (given ?? {}) as Record<string, unknown>;
  return (
    isText(code) && ['you', 'destination', 'sluice'].includes(owner as string) && (field === null || isText(field))
  );
}

/**
 * The fault as the export's people mend it: a field that its type of destination lacks is none, and one that an integration brings is the
 * integration's.
 */
export function locatedFault(
  fault: Fault,
  { destinationType, integration }: Pick<BatchExport, 'destinationType' | 'integration'>,
): Fault {
  if (!fault.field?.startsWith(CONFIG_ATTR)) return fault;
  const field = fault.field.slice(CONFIG_ATTR.length);
  const destination = anyDestination(destinationType);
  if (integration && destination.integration?.fields.includes(field))
    return { ...fault, field: 'destination__integration' };
  return Object.hasOwn(destination.config.properties, field) ? fault : { ...fault, field: null };
}
