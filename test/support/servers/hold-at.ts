/** Holds a run at one step, like a slow worker, until the test lets it continue. */
import type { Step } from '../../../activities/engine.ts';
import type { ExportWorld } from '../exports/export-world.ts';

export type StepGate = {
  /** Resolves when the run has reached the step; the run stays there. */
  reached: Promise<Step>;
  goOn(): void;
  /** Makes the step fail, as if the worker were killed there. */
  die(): void;
};

/** @param name of the step, such as `before-committing` or `manifest`; only its first occurrence is held */
export function holdAt(world: ExportWorld, exportId: string, name: string): StepGate {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<Step>();
  let passed = false;
  world.onStep = async (step) => {
    if (passed || step.exportId !== exportId || step.name !== name) return;
    passed = true;
    reached.resolve(step);
    await gate.promise;
  };
  return {
    reached: reached.promise,
    goOn: () => gate.resolve(),
    die: () => gate.reject(new Error('the worker was killed')),
  };
}
