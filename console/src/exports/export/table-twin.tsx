/** Replaces the grid on narrow screens, or for `view=table`: lists stretches of intervals in one state, the newest first. */
import { useState } from 'react';
import { Button } from '../../look/button.tsx';
import { Glyph } from '../states/cell.tsx';
import { hasRun, nameOfCode, type Code } from '../states/codes.ts';
import { countIntervals } from '../words/cadence.ts';
import { boundsOf } from './interval-name.ts';
import type { IntervalMap, Range } from './interval-map.ts';
import type { Cadence } from './layout.ts';
import { INTERVALS } from './skip-link.tsx';
import styles from './export.module.css';

const AT_ONCE = 50;

type TwinProps = {
  map: IntervalMap;
  cadence: Cadence;
  selected: Range | undefined;
  onSelect: (range: Range) => void;
  /** Opens the run of an interval. */
  onOpen: (number: number) => void;
};

export function IntervalTable({ map, cadence, selected, onSelect, onOpen }: TwinProps) {
  const [shownCount, setMost] = useState(AT_ONCE);
  const stretches = stretchesOf(map.codes);
  return (
    <>
      <table id={INTERVALS} className={styles.twin}>
        <caption className="visually-hidden">Intervals by state, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Intervals</th>
            <th scope="col">State</th>
            <th scope="col">
              <span className="visually-hidden">Select</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {stretches.slice(0, shownCount).map(({ first, last, code }) => {
            const name =
              first === last ? boundsOf(map, first, cadence) : boundsOf(spanOf(map, first, last), 0, cadence);
            return (
              <tr key={first}>
                <th scope="row">{name}</th>
                <td>
                  <span className={styles.state}>
                    <Glyph code={code} /> {countIntervals(last - first + 1, cadence.interval)} {nameOfCode(code)}
                  </span>
                </td>
                <td>
                  <Button
                    aria-label={`Select ${name}`}
                    kind={selected?.first === first && selected.last === last ? 'primary' : 'plain'}
                    onPress={() => onSelect({ first, last })}
                  >
                    Select
                  </Button>{' '}
                  {first === last && hasRun(code) && (
                    <Button aria-label={`Open the run of ${name}`} kind="quiet" onPress={() => onOpen(first)}>
                      Open
                    </Button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {stretches.length > shownCount && <Button onPress={() => setMost(shownCount + AT_ONCE)}>Show earlier</Button>}
    </>
  );
}

/** Joins several intervals into one, to name them. */
function spanOf(map: IntervalMap, first: number, last: number): IntervalMap {
  return { ...map, starts: Float64Array.of(map.starts[first]!), ends: Float64Array.of(map.ends[last]!) };
}

/** Stretches of one code, the newest first, without blank ones. */
function stretchesOf(codes: readonly Code[]): (Range & { code: Code })[] {
  const found: (Range & { code: Code })[] = [];
  codes.forEach((code, number) => {
    const last = found.at(-1);
    if (last?.code === code) last.last = number;
    else found.push({ first: number, last: number, code });
  });
  return found.filter(({ code }) => code !== '--').toReversed();
}
