/** Id of the element with the intervals: the grid or the table. */
export const INTERVALS = 'intervals';

/** Leads past the fields of dates, which have a dozen stops of Tab, to the active interval of the grid, or to the table. */
export function SkipLink() {
  return (
    <a
      className="skip"
      href={`#${INTERVALS}`}
      onClick={(event) => {
        event.preventDefault();
        document.querySelector<HTMLElement>(`#${INTERVALS} :is([tabindex="0"], button)`)?.focus();
      }}
    >
      Skip to the intervals
    </a>
  );
}
