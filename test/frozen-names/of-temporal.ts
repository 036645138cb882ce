/** Names in histories, schedules and search attributes of Temporal, which outlive every release. */
import type { Client } from '@temporalio/client';
import ts from 'typescript';
import { createActivities } from '../../activities/index.ts';
import { readConfig } from '../../src/platform/config.ts';
import * as errors from '../../src/platform/errors.ts';
import { runWorkflowId } from '../../src/exports/domain/ids.ts';
import { TASK_QUEUES } from '../../src/exports/domain/task-queues.ts';
import { exportExecutions } from '../../src/exports/temporal/executions.ts';
import { exportSchedules } from '../../src/exports/temporal/schedules.ts';
import { timelineWitness } from '../../src/exports/temporal/witness.ts';
import * as workflows from '../../workflows/index.ts';
import type { Kind } from './kind.ts';
import { argumentOf, callsOf, literalsOf, membersOf, subclassesOf, type Product } from './product.ts';

const HISTORIES = 'the histories of workflows that are under way';

export const TEMPORAL_KINDS: readonly Kind[] = [
  {
    name: 'temporal/workflow-types',
    writtenTo: `${HISTORIES} and in schedules`,
    least: 4,
    present: () => Object.keys(workflows),
  },
  {
    name: 'temporal/activities',
    writtenTo: HISTORIES,
    least: 7,
    present: () => Object.keys(createActivities({} as never)),
  },
  {
    name: 'temporal/messages',
    writtenTo: `${HISTORIES}, and in requests of older processes beside this one`,
    least: 2,
    present: ({ product }) =>
      [...callsOf(product(), ['defineSignal', 'defineQuery', 'defineUpdate'], product().files('workflows'))].flatMap(
        (call) => {
          const kind = call.expression.getText().replace('define', '').toLowerCase();
          return argumentOf(product(), call, 0).map((name) => `${kind} ${name}`);
        },
      ),
  },
  {
    name: 'temporal/patches',
    writtenTo: `${HISTORIES}, as markers`,
    least: 2,
    present: ({ product }) =>
      [...callsOf(product(), ['patched', 'deprecatePatch'], product().files('workflows'))].flatMap((call) =>
        argumentOf(product(), call, 0),
      ),
  },
  {
    name: 'temporal/task-queues',
    writtenTo: 'schedules and histories, and is what workers of every version poll',
    least: 2,
    present: () => Object.values(TASK_QUEUES),
  },
  {
    name: 'temporal/ids',
    writtenTo:
      'Temporal: ids by which workflows and schedules are found again, search attributes, memos, the namespace',
    least: 9,
    present: idsInUse,
  },
  {
    name: 'temporal/payloads',
    writtenTo: 'histories: inputs and results of workflows, activities and updates, as JSON',
    least: 30,
    present: ({ product }) => payloads(product()),
  },
  {
    name: 'temporal/failure-types',
    writtenTo: 'histories: the type of a failure is the name of its class, and workflows decide by it',
    least: 30,
    present: ({ product }) => failureTypes(product()),
  },
];

/** Ids that Temporal is asked for, by clients that hold another end of the wire. */
async function idsInUse(): Promise<string[]> {
  const names = new Set<string>([`namespace ${readConfig({}).TEMPORAL_NAMESPACE}`]);
  const client = recordingClient(names);
  const executions = exportExecutions(client);
  await executions.start('<export>', 0);
  await executions.wakeDispatcher('<export>');
  const witness = timelineWitness(client);
  await witness.start('nonce');
  await witness.swap({ expected: 'a', next: 'b' });
  const schedules = exportSchedules(client);
  await schedules.ensureReconciler();
  await schedules.listPausedIds(new AbortController().signal);
  await schedules.set({
    id: '<export>',
    interval: 'hour',
    timezone: 'UTC',
    offsetDay: 0,
    offsetHour: 0,
    jitterSeconds: 0,
    model: 'events',
    destinationType: 'S3',
    paused: false,
    startAt: null,
    endAt: null,
    validFrom: '-infinity',
    version: '1',
  });
  return [...names, `workflow id of a scheduled run ${runWorkflowId('<export>', 0)}`];
}

type Started = {
  workflowId?: string;
  workflowType?: string;
  taskQueue: string;
  signal?: string;
  memo?: object;
  typedSearchAttributes?: { getAll(): { key: { name: string } }[] };
};

function recordingClient(names: Set<string>): Client {
  const note = (what: string, name: string | undefined) => void (name !== undefined && names.add(`${what} ${name}`));
  function started(type: string | undefined, options: Started): void {
    note('workflow type', type);
    note('workflow id', options.workflowId);
    note('task queue', options.taskQueue);
    note('signal', options.signal);
    for (const name of Object.keys(options.memo ?? {})) note('memo', name);
    for (const { key } of options.typedSearchAttributes?.getAll() ?? []) note('search attribute', key.name);
  }
  const client = {
    withDeadline: async (_: number, call: () => Promise<unknown>) => call(),
    withAbortSignal: async (_: AbortSignal, call: () => Promise<unknown>) => call(),
    workflow: {
      start: async (type: string, options: Started) => started(type, options),
      signalWithStart: async (type: string, options: Started) => started(type, options),
      getHandle: (id: string) => ({
        async executeUpdate(name: string) {
          note('workflow id', id);
          note('update', name);
          return true;
        },
      }),
    },
    schedule: {
      getHandle: (id: string) => ({
        async update(change: () => { scheduleId: string; action: Started }) {
          const { action } = change();
          note('schedule id', id);
          started(action.workflowType, action);
        },
      }),
      list({ query }: { query: string }) {
        note('search attribute', query.split(' ')[0]);
        return [];
      },
    },
  };
  return client as unknown as Client;
}

function payloads(product: Product): string[] {
  const { checker } = product;
  const [activities] = product.files('activities/index.ts');
  const [registry] = product.files('workflows/index.ts');
  const exportsOf = (file: ts.SourceFile | undefined) =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(file!)!);
  const activitiesInterface = exportsOf(activities).find(({ name }) => name === 'Activities')!;
  const functions = [
    ...checker
      .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(activitiesInterface))
      .map((one) => [`activity ${one.name}`, checker.getTypeOfSymbol(one)] as const),
    ...exportsOf(registry).map((one) => {
      return [`workflow ${one.name}`, checker.getTypeOfSymbol(checker.getAliasedSymbol(one))] as const;
    }),
  ];
  const ofFunctions = functions.flatMap(([name, type]) =>
    type
      .getCallSignatures()
      .flatMap((signature) => [
        ...inputsOf(product, signature).flatMap((one) => prefixed(`${name} takes`, membersOf(product, one))),
        ...prefixed(`${name} returns`, membersOf(product, signature.getReturnType())),
      ]),
  );
  const swap = membersOf(product, product.exported('src/exports/domain/witness.ts', 'Swap'));
  return [...ofFunctions, ...prefixed('update swap takes', swap)];
}

/** The types of a function's inputs, one for each: generics give the type of the whole list. */
function inputsOf({ checker }: Product, { parameters }: ts.Signature): readonly ts.Type[] {
  return parameters.flatMap((one) => {
    const type = checker.getTypeOfSymbol(one);
    return checker.isTupleType(type) ? checker.getTypeArguments(type as ts.TypeReference) : [type];
  });
}

const prefixed = (prefix: string, names: readonly string[]) => names.map((name) => `${prefix} ${name}`);

/** Classes of our errors, which name themselves; types that workflows give to failures of their own. */
function failureTypes(product: Product): string[] {
  const ours = Object.values(errors).filter((one) => one.prototype instanceof errors.SluiceError);
  const names = new Set(ours.map(({ name }) => name));
  for (const name of subclassesOf(product, new Set([...names, 'SluiceError']))) names.add(name);
  const { checker } = product;
  for (const node of product.nodes()) {
    if (ts.isBinaryExpression(node) && node.left.getText() === 'this.name') {
      for (const name of literalsOf(checker.getTypeAtLocation(node.right))) names.add(name);
    }
  }
  for (const node of product.nodes(product.files('workflows'))) {
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'type') {
      for (const name of literalsOf(checker.getTypeAtLocation(node.initializer))) names.add(name);
    }
  }
  for (const call of callsOf(product, ['nonRetryable', 'retryable'], product.files('workflows'))) {
    for (const name of argumentOf(product, call, 1)) names.add(name);
  }
  return [...names];
}
