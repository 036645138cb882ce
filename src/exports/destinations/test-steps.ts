/** Tests before the first export whether a destination can be reached and permits what a run will do. */
import type { Delivery } from './delivery.ts';
import type { DestinationEnvironment } from './environment.ts';

/** The fields of a delivery that matter to a step. */
export type TestSubject = Pick<Delivery, 'projectId' | 'model' | 'columns' | 'merge'>;

export type TestContext = TestSubject & {
  environment: DestinationEnvironment;
  /** Aborted when the step took too long: pass it into every I/O. */
  signal: AbortSignal;
};

/** Why a step had nothing to test: a sentence for the user. */
export type Skipped = { skipped: string };

/** A user runs the steps in their order, each on its own; a step may rely on the success of the steps before it. */
export type TestStep<Config = unknown> = {
  name: string;
  description: string;
  /**
   * Leaves nothing visible behind.
   * @throws DestinationRejected, DestinationUnavailable, whose message is shown to the user
   */
  run(config: Config, context: TestContext): Promise<Skipped | void>;
};
