/** `/live/`: changes of exports as they happen. */
import { route } from '../../platform/http/route.ts';
import { Type } from '../../platform/schema.ts';
import type { ExportsApi } from '../api.ts';

const EVENT_STREAM = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  // Otherwise, Nginx would buffer events.
  'X-Accel-Buffering': 'no',
};

const followExports = route({
  method: 'get',
  path: '/live/',
  access: { scope: 'batch_export:read', filtered: true },
  query: Type.Object({
    last_event_id: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'The ID of the last event received, for clients that cannot send the header `Last-Event-ID`, which has precedence.',
      }),
    ),
  }),
  answers: {
    200: Type.String({
      description:
        'A stream of server-sent events: `{"kind", "export_id", "run_id", "start", "end", "at"}`, or the event `reset`.',
    }),
  },
  produces: { 200: 'text/event-stream' },
  summary: 'Subscribe to changes of batch exports',
  description:
    'Events name what changed and hold no data: `kind` is `export`, `run`, `interval`, `backfill` or `log`; `start` and `end` span the ' +
    'data intervals concerned. Changes within a quarter of a second are combined: an event without `run_id` is about several runs. The event ' +
    '`reset` means that changes may have been missed, so that everything shown should be read again. Covers only batch exports that the ' +
    'caller can see. A comment is sent every 15 seconds, and the stream ends within 15 seconds of the caller losing access. Each caller ' +
    'can have 10 streams open.',
  async handle({ project, caller, rights, readmit, query, headers, signal }, { live }: ExportsApi) {
    const lastEventId = headers['last-event-id'] ?? query.last_event_id;
    const listener = { projectId: project.id, caller, rights, recheckAccess: readmit, signal };
    return { status: 200, headers: EVENT_STREAM, body: live.open(listener, lastEventId?.toString()) };
  },
});

export const liveRoutes = [followExports];
