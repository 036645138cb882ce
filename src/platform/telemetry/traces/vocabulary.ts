/** All that a span may say: these names and attributes. Anything else, which libraries would add, is removed before it is sent. */

export type OwnSpanName = (typeof OWN_SPANS)[number];

const OWN_SPANS = [
  'capture',
  'capture parse',
  'capture commit',
  'plan',
  'stage',
  'commit',
  'verify',
  'receipt',
] as const;
/** Spans of Temporal's instrumentation; the names after the colon are those of our workflows and activities. */
const TEMPORAL_SPAN = /^(RunWorkflow|StartActivity|RunActivity):\w{1,40}$/;

export type AttributeName = (typeof ATTRIBUTES)[number];

const ATTRIBUTES = [
  'http.response.status_code',
  'sluice.project_id',
  'sluice.export_id',
  'sluice.run_id',
  'sluice.interval_end',
  'sluice.destination_type',
  'sluice.attempt',
  'sluice.rows',
  'sluice.bytes',
  'sluice.error_code',
  'temporal.workflow_id',
  'temporal.run_id',
  'temporal.schedule_id',
  'temporal.scheduled_at',
] as const;

/** Attributes of Temporal's instrumentation that say what one of ours says. In a workflow, these are the fields of its information. */
const RENAMED: Record<string, AttributeName> = {
  workflowId: 'temporal.workflow_id',
  temporalWorkflowId: 'temporal.workflow_id',
  runId: 'temporal.run_id',
  run_id: 'temporal.run_id',
};

/** Ids, instants and code words, which have no spaces, slashes or quotes. */
const WORD = /^[\w.:+-]{1,150}$/;

export function isAllowedName(name: string): boolean {
  return (OWN_SPANS as readonly string[]).includes(name) || TEMPORAL_SPAN.test(name);
}

export function allowedAttributes(given: Record<string, unknown>): Record<string, string | number> {
  const allowed: Record<string, string | number> = {};
  for (const [name, value] of [...Object.entries(given), ...scheduleOf(given['searchAttributes'])]) {
    const known = ATTRIBUTES.find((attribute) => attribute === (RENAMED[name] ?? name));
    if (known && (typeof value === 'number' || (typeof value === 'string' && WORD.test(value)))) allowed[known] = value;
  }
  return allowed;
}

/** Which schedule started the workflow, and for when. */
function scheduleOf(searchAttributes: unknown): [AttributeName, unknown][] {
  const { TemporalScheduledById: ids, TemporalScheduledStartTime: times } = (searchAttributes ?? {}) as Record<
    string,
    unknown[] | undefined
  >;
  const time = times?.[0];
  return [
    ['temporal.schedule_id', ids?.[0]],
    ['temporal.scheduled_at', time instanceof Date ? time.toISOString() : time],
  ];
}
