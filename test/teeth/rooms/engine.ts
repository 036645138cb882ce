/** Teeth that keep runs from delivering another run's interval, or half of their own. */
import type { Tooth } from '../tooth.ts';

const LEDGER = ['test/exports/deliveries/ledger.store.test.ts'];

export const ENGINE_TEETH: readonly Tooth[] = [
  {
    name: 'activity-names',
    guards: 'workflows that are under way find their activities after an upgrade',
    tests: ['test/frozen-names.test.ts'],
    grep: 'kind temporal/activities',
    replace: ['exportPart: activity(', 'stagePart: activity('],
  },
  {
    name: 'overlaps-in-turn',
    guards: 'thousands of exports in one bucket do not keep the worker from its heartbeats',
    tests: ['test/exports/deliveries/key-spaces.test.ts'],
    grep: 'has its turn',
  },
  {
    name: 'part-shrank',
    guards: 'a part of which rows were deleted since the plan is not delivered as planned',
    tests: ['test/activities/runs/part-source.test.ts'],
  },
  {
    name: 'part-grew',
    guards: 'a part with more rows than planned is not delivered',
    tests: ['test/activities/runs/part-source.test.ts'],
  },
  {
    name: 'accepted-ends-requests',
    guards: 'nothing that was asked for before replaces a delivery that an operator accepted',
    tests: ['test/exports/timeline/accept-delivery.test.ts'],
  },
  {
    name: 'known-while-held',
    guards: 'a frozen commit does not take for its own what an operator accepted meanwhile',
    tests: ['test/exports/timeline/accept-delivery.test.ts'],
  },
  {
    name: 'resumed-late-expected',
    guards: 'intervals that ended after a pause was to end by itself are delivered, however late it was ended',
    tests: ['test/activities/rounds/resume-exports.test.ts'],
    grep: 'is delivered from the interval on',
  },
  {
    name: 'blocked-acts-nowhere',
    guards: 'a copy of the database sets no schedule and ends no run of the original',
    tests: ['test/activities/rounds/timeline.test.ts'],
    grep: 'delivers nothing until an operator recovers it',
  },
  {
    name: 'one-way-recovered',
    guards: 'a receiver that cannot be read gets nothing twice after a restore, unless a person wants it',
    tests: ['test/activities/runs/one-way.test.ts'],
    grep: 'waits for a person after a restore',
  },
  {
    name: 'blocked-tells-nobody',
    guards: 'a copy of the database sends no notices',
    tests: ['test/activities/rounds/deliver-notifications.test.ts'],
    grep: 'wait while the database may be a copy',
  },
  {
    name: 'known-planned',
    guards: 'a delivery of a run that was planned after the backup is not replaced by those that know the run only',
    tests: ['test/exports/timeline/accept-delivery.test.ts'],
    replace: ['and plan is not null', ''],
  },
  {
    name: 'request-of-lost-run',
    guards: 'a restored database asks again for what another timeline answered',
    tests: ['test/activities/rounds/dispatch-requests.test.ts'],
  },
  {
    name: 'ledger-next-epoch',
    guards: 'a run that takes an interval fences the one before it',
    tests: LEDGER,
    replace: ['greatest(ledger.epoch + 1, excluded.epoch)', 'greatest(ledger.epoch, excluded.epoch)'],
  },
  {
    name: 'ledger-epochs-after-restore',
    guards: 'epochs after a restore are above those of the deliveries that the restore forgot',
    tests: LEDGER,
    replace: ['(select epochs_above from timeline)', '0'],
  },
  {
    name: 'ledger-open-only',
    guards: 'no part joins a run whose commit has begun',
    tests: LEDGER,
    replace: [".where({ state: 'open' })", ''],
  },
  {
    name: 'ledger-open-lock',
    guards: 'no later run takes the interval between the check and the part that it is for',
    tests: LEDGER,
    replace: ['.forShare()', ''],
  },
  {
    name: 'ledger-commit-epoch',
    guards: 'a fenced run begins no commit',
    tests: LEDGER,
    replace: ['.where(leaseColumns(lease))', '.where(key(lease))'],
  },
  {
    name: 'ledger-commit-live',
    guards: 'no commit begins for an export that was deleted',
    tests: LEDGER,
    replace: ['.whereExists(liveExportQuery(lease))', ''],
  },
  {
    name: 'ledger-delivered-epoch',
    guards: 'a fenced run does not call the interval delivered',
    tests: LEDGER,
    replace: ['.where(leaseColumns(lease))', '.where(key(lease))'],
  },
  {
    name: 'ledger-stays-stale',
    guards: 'late events that a delivery has not read are delivered later',
    tests: LEDGER,
    replace: ["either.whereNot({ kind: 'stale' }).orWhere('last_at', '<', cutoff)", 'either.whereRaw("true")'],
  },
  {
    name: 'ledger-reopen-epoch',
    guards: 'a fenced run does not undo the commit of the one after it',
    tests: LEDGER,
    replace: ['.where(leaseColumns(lease))', '.where(key(lease))'],
  },
  {
    name: 'ledger-artifact-epoch',
    guards: 'a fenced run leaves nothing at the destination that the next one cannot find',
    tests: LEDGER,
  },
  {
    name: 'ledger-artifact-delivered',
    guards: 'nothing is staged beside a delivery, where no settling looks for it',
    tests: LEDGER,
    replace: ["and state <> 'delivered'", ''],
  },
  {
    name: 'ledger-artifact-instead',
    guards: 'an upload whose intent was swept is not used, and its attempt ends it',
    tests: LEDGER,
    replace: ['where :instead::uuid is null or exists (select from replaced)', ''],
  },
  {
    name: 'place-lock',
    guards: 'of two exports that want one place at once only one gets it',
    tests: ['test/exports/deliveries/key-spaces.test.ts'],
    grep: 'given to one of many',
  },
  {
    name: 'place-overlap',
    guards: 'two exports do not write to one place',
    tests: ['test/exports/deliveries/key-spaces.test.ts'],
    grep: 'is refused while another export',
  },
  {
    name: 'backfill-as-shown',
    guards: 'a backfill whose plan was shown runs just that plan, or nothing',
    tests: ['test/exports/backfills/backfill-plan.api.test.ts'],
    grep: 'refused',
  },
  {
    name: 'request-limits',
    guards: 'an export and a project have only so many runs at once',
    tests: ['test/exports/runs/run-requests.store.test.ts'],
    grep: 'take no more places',
    replace: [
      'least(:ofExport - count(*) filter (where export.id = :id), :ofProject - count(*))',
      'least(:ofExport + 1000, :ofProject + 1000 - 0 * count(export.id = :id))',
    ],
  },
  {
    name: 'request-of-replaced',
    guards: 'the failure of a run that is being replaced leaves the request for the new one open',
    tests: ['test/exports/runs/run-requests.store.test.ts'],
    grep: 'are not answered by its failure',
    replace: [':isDelivered and not', 'not'],
  },
  {
    name: 'request-of-unclosed',
    guards: 'a request that somebody made again meanwhile is not closed by the run before',
    tests: ['test/exports/runs/run-requests.store.test.ts'],
    grep: 'are not answered by a run',
    replace: [', wanted_at: requestedAt', ''],
  },
  {
    name: 'run-ends-once',
    guards: 'a run ends once',
    tests: ['test/exports/runs/runs.store.test.ts'],
    grep: 'end once',
    replace: [".whereIn('status', [...OPEN_STATUSES])", ''],
  },
  {
    name: 'run-newest',
    guards: 'a frozen attempt does not fence the run that came after it',
    tests: ['test/activities/runs/planning-failures.test.ts'],
    grep: 'another run has the interval',
  },
  {
    name: 'plan-place',
    guards: 'a plan is of the place that the export has when the plan is stored',
    tests: ['test/activities/runs/pinned-place.test.ts'],
    grep: 'moves before the plan is stored',
  },
  {
    name: 'decisions-pause-nothing',
    guards: 'an export whose database was restored goes on delivering while older data intervals wait for a decision',
    tests: ['test/exports/runs/run-ended.test.ts'],
    replace: ['any (:awaiting)', "any ('{}')"],
  },
];
