/** A destination that reads, counts and digests rows, and delivers them nowhere: for measuring everything before a destination. */
import { Type, type Static } from '../../../platform/schema.ts';
import { addGroup, defineDestination } from '../define.ts';
import { noDeliveries, oneWaySession } from '../one-way.ts';

const NoOpConfig = Type.Object(
  addGroup('advanced', {
    arg: Type.String({ default: '', maxLength: 400, title: 'Note', description: 'A text without effect.' }),
  }),
  { additionalProperties: false },
);

export const noOp = defineDestination<Static<typeof NoOpConfig>>({
  type: 'NoOp',
  title: 'Nowhere (only counts)',
  promises: [{ when: {}, first: 'counts_only', redelivery: 'counts_only', readers: 'no_rows' }],
  takes: 'rows',
  config: NoOpConfig,
  secretsGoTo: [],
  validate: async () => {},
  place: () => 'no-op',
  keySpace: (_config, { exportId }) => `no-op:${exportId}`,
  label: () => 'nowhere',
  steps: [],
  names: () => [],
  listDeliveries: noDeliveries,
  async open(_config, delivery, context) {
    return oneWaySession({
      location: 'nowhere',
      delivery,
      context,
      async take(_part, source) {
        for await (const _block of source.rows()) context.signal.throwIfAborted();
        return {};
      },
    });
  },
});
