/** Checks of stored secrets, and of what the destinations let exports do. */
import type { ExportTestSteps } from '../../exports/integrations/test-steps.ts';
import type { BatchExport } from '../../exports/batch-exports/batch-export.ts';
import { CommandFailed, SluiceError } from '../../platform/errors.ts';
import { SCHEMA } from './database-checks.ts';
import { ok, problem, warning, type Examination, type Finding } from './diagnosis.ts';

/** A test step takes ten seconds at most, and a destination has a handful of them. */
const DESTINATION_TIMEOUT_MS = 90_000;

/** @param findWarnings compares the key ring with what is stored. @throws CommandFailed naming a key that opens nothing */
export function checkEncryptionKeys(findWarnings: () => Promise<readonly string[]>): Examination {
  return {
    name: 'encryption keys',
    needs: [SCHEMA],
    async run() {
      const fix = 'docs/operate.md, *Encryption keys*, says how keys are replaced.';
      try {
        const warnings = await findWarnings();
        if (warnings.length > 0) return warnings.map((text) => warning(text, fix));
        return ok('SLUICE_ENCRYPTION_KEYS opens the stored secrets.');
      } catch (error) {
        if (error instanceof CommandFailed) return problem(error.message, fix);
        throw error;
      }
    },
  };
}

type Steps = Pick<ExportTestSteps, 'stepsOf' | 'runStored'>;

/** Runs the test steps of one export's destination, as its form does, up to the first that fails. */
export function checkDestination(
  { id, projectId, name, destinationType }: BatchExport,
  { stepsOf, runStored }: Steps,
): Examination {
  return {
    name: `export ${id}`,
    timeoutMs: DESTINATION_TIMEOUT_MS,
    async run(): Promise<Finding> {
      const label = `“${name}” (${destinationType})`;
      const fix = `Correct the export’s destination: the console’s form tests it step by step.`;
      const steps = stepsOf(destinationType);
      if (!steps)
        return problem(`${label}: this installation does not offer the type.`, 'Set EXPORT_LOCAL_ROOT for LocalFile.');
      try {
        const skipped: string[] = [];
        for (const index of steps.keys()) {
          const { name: step, result } = await runStored(projectId, id, {}, index);
          if (result.status === 'Failed') return problem(`${label}: ${step}: ${result.message}`, fix);
          if (result.status === 'Skipped') skipped.push(step);
        }
        const rest = skipped.length === 0 ? '' : `; nothing to test yet: ${skipped.join(', ')}`;
        return ok(`${label}: ${steps.length - skipped.length} of ${steps.length} test steps passed${rest}.`);
      } catch (error) {
        if (error instanceof SluiceError) return problem(`${label}: ${error.message}`, fix);
        throw error;
      }
    },
  };
}
