/** The promises of a destination in answers. */
import { stringEnum, Type } from '../../platform/schema.ts';
import { FIRST_DELIVERIES, READER_VIEWS, REDELIVERIES } from '../destinations/promises.ts';

export const PromisesBody = Type.Object(
  {
    first: stringEnum(FIRST_DELIVERIES, { description: 'The result of the first delivery of a data interval.' }),
    redelivery: stringEnum(REDELIVERIES, { description: 'The effect of a later delivery of the same data interval.' }),
    readers: stringEnum(READER_VIEWS, { description: 'The view of readers before a delivery is complete.' }),
  },
  { title: 'Promises' },
);
