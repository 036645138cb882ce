import { Fragment } from 'react';

/** An address that wraps after `@` and `.` before it wraps inside a word. */
export function Email({ address }: { address: string }) {
  return address.split(/(?<=[@.])/).map((part, index) => (
    // Parts have no ids, and never change their places.
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
