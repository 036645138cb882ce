import { Fragment, useRef, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { ROW, useRowKeys } from '../keys/row-keys.ts';
import { Copy } from '../look/copy.tsx';
import { Time } from '../look/time.tsx';
import type { Event } from './events-data.ts';
import styles from './events.module.css';

/** A table of events; each row expands to the event's content. */
export function EventTable({ events }: { events: readonly Event[] }) {
  const table = useRef<HTMLTableElement>(null);
  // The id of the open row, not its index: new events move rows.
  const [open, setOpen] = useState<string>();
  useRowKeys(table);
  return (
    <table ref={table}>
      <thead>
        <tr>
          <th>Event</th>
          <th className={styles.wide}>Distinct id</th>
          <th>Happened</th>
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <Fragment key={event.id}>
            <tr>
              <td className={styles.name}>
                <AriaButton
                  className={styles.open!}
                  aria-expanded={open === event.id}
                  onPress={() => setOpen(open === event.id ? undefined : event.id)}
                  {...ROW}
                >
                  <span aria-hidden>{open === event.id ? '▾' : '▸'}</span> {event.event}
                </AriaButton>
                <div className={`${styles.below} id quiet`}>{event.distinct_id}</div>
              </td>
              <td className={`${styles.wide} id`}>{event.distinct_id}</td>
              <td className={styles.when}>
                <Time iso={event.timestamp} seconds />
              </td>
            </tr>
            {open === event.id && (
              <tr>
                <td colSpan={3}>
                  <Details event={event} />
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

const asJson = (value: unknown) => JSON.stringify(value, null, 2);

function Details({ event }: { event: Event }) {
  const { id, person_id: personId, properties, person_properties: person, created_at: arrivedAt } = event;
  return (
    <div className={styles.details}>
      <dl className={styles.facts}>
        <dt>Uuid</dt>
        <dd className="id">{id}</dd>
        <dt>Person</dt>
        <dd className="id">{personId}</dd>
        <dt>Arrived</dt>
        <dd>
          <Time iso={arrivedAt} seconds />
        </dd>
      </dl>
      <section aria-label="Properties">
        <h3>
          Properties <Copy text={() => asJson(event)}>Copy the event as JSON</Copy>
        </h3>
        <pre>{asJson(properties)}</pre>
      </section>
      <section aria-label="Properties of the person">
        <h3>Properties of the person, as the event left them</h3>
        {person ? <pre>{asJson(person)}</pre> : <p className="quiet">You may see events, but not persons.</p>}
      </section>
    </div>
  );
}
