/** Glyphs of intervals outside of the grid; inside it each interval is a cell. */
import { countGroups, sumUp, type Code } from './codes.ts';
import styles from './cell.module.css';

export const cellClass = styles.cell!;

/** Glyph of a state, always shown next to the state in words. */
export function Glyph({ code }: { code: Code }) {
  return <span className={styles.cell} data-code={code} aria-hidden />;
}

/** Strip of states, the newest at the end; the oldest are left out if room is short. */
export function Strip({ codes }: { codes: readonly Code[] }) {
  const label =
    codes.length === 0
      ? 'No intervals yet'
      : `The last ${codes.length === 1 ? 'interval' : `${codes.length} intervals`}: ${sumUp(codes)}`;
  return (
    <span className={styles.strip} role="img" aria-label={label}>
      {codes.toReversed().map((code, index) => (
        <Glyph key={index} code={code} />
      ))}
    </span>
  );
}

/** @param counts number of drawn intervals by code */
export function Legend({ counts }: { counts: ReadonlyMap<Code, number> }) {
  return (
    <ul className={styles.legend} aria-label="Intervals by state">
      {countGroups(counts).map(({ example, words }) => (
        <li key={example}>
          <Glyph code={example} />
          {words}
        </li>
      ))}
    </ul>
  );
}
