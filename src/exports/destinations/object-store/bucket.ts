/** Common parts of destinations in buckets and containers: test steps, and deliveries of files. */
import type { Destination, SessionContext, Subject } from '../contract.ts';
import type { DestinationEnvironment } from '../environment.ts';
import type { TestContext, TestStep } from '../test-steps.ts';
import { folderPattern, layoutOf, type FileConfig } from './config.ts';
import { listDeliveriesIn } from './deliveries.ts';
import { allNames, namesOf } from './keys.ts';
import { fileSession } from './session.ts';
import type { ObjectStore } from './store.ts';

/** An open bucket: the folder of the files in it, with variables in braces. */
export type OpenBucket = { prefix: string; store: ObjectStore };

/** Opens the configured bucket; its store closes with its `close`. */
type Open<Config, Bucket> = (
  config: Config,
  subject: Subject,
  environment: DestinationEnvironment,
  signal: AbortSignal,
  onRequest?: SessionContext['onRequest'],
) => Bucket | Promise<Bucket>;

/** @returns a function that makes a test step of work in the bucket */
export function bucketStep<Config, Bucket extends OpenBucket>(open: Open<Config, Bucket>) {
  return (work: (bucket: Bucket, context: TestContext) => Promise<void>): TestStep<Config>['run'] =>
    async (config, context) => {
      const bucket = await open(config, context, context.environment, context.signal);
      try {
        await work(bucket, context);
      } finally {
        bucket.store.close();
      }
    };
}

type Config = FileConfig & Parameters<typeof folderPattern>[0] & Parameters<typeof layoutOf>[0];

/** Deliveries of files to a bucket, for the definition of a destination. */
export function bucketDeliveries<C extends Config>(
  open: Open<C, OpenBucket>,
): Pick<Destination<C>, 'names' | 'listDeliveries' | 'open'> {
  return {
    names: (config, delivery) => allNames(namesOf(folderPattern(config), delivery, layoutOf(config)), delivery.parts),
    async *listDeliveries(config, subject, environment, signal) {
      const { store, prefix } = await open(config, subject, environment, signal);
      try {
        yield* listDeliveriesIn(store, prefix, subject.model);
      } finally {
        store.close();
      }
    },
    async open(config, delivery, context, environment) {
      const { store, prefix } = await open(config, delivery, environment, context.signal, context.onRequest);
      return fileSession({ store, names: namesOf(prefix, delivery, layoutOf(config)), delivery, context });
    },
  };
}
