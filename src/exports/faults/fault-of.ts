/** Converts an error to the fault that a run's row stores. */
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

/** Whether a value from a history is a fault; a worker of another version may have written it. */
export function isFault(value: unknown): value is Fault {
  const { code, owner, field } = (value ?? {}) as Record<string, unknown>;
  return (
    isText(code) && ['you', 'destination', 'sluice'].includes(owner as string) && (field === null || isText(field))
  );
}

/**
 * Returns the fault with the field that the owner of the export can correct. If an integration supplies the field, the fault names the
 * integration instead. A field that the destination's type lacks is dropped.
 */
export function faultAtField(
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
