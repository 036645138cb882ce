type Drawn = { index: number; key: number };

/**
 * Makes a function that gives each drawn row of the grid a key for React. After a jump, elements of rows that left the view show rows that
 * came into it: to change the cells that differ takes a fraction of the time that new cells take.
 */
export function rowElements(): (indices: readonly number[], activeRow: number) => Drawn[] {
  let drawn: readonly Drawn[] = [];
  let active = -1;
  let keys = 0;
  return (indices, activeRow) => {
    const isFocused = document.activeElement?.role === 'gridcell';
    const focusedRow = Number(document.activeElement?.closest('[role=row]')?.ariaRowIndex ?? 0) - 1;
    const staying = new Set(indices);
    // Without the focus, the element of a distant active row may be any.
    if (!isFocused) staying.delete(activeRow);
    // The focus may still be in the row that was active, so that one becomes no other row.
    const mayReuse = !isFocused || activeRow === active;
    let next = 0;
    const rows = indices.map((index): Drawn => {
      const before = staying.has(index) ? drawn.findIndex((row) => row.index === index) : -1;
      if (before >= 0) {
        next = before + 1;
        return drawn[before]!;
      }
      // Only an element between the same rows that stay: React would move any other one, and a moved element loses the focus.
      while (drawn[next]?.index === focusedRow && !staying.has(focusedRow)) next += 1;
      const free = mayReuse ? drawn[next] : undefined;
      if (!free || staying.has(free.index)) return { index, key: (keys += 1) };
      next += 1;
      return { index, key: free.key };
    });
    [drawn, active] = [rows, activeRow];
    return rows;
  };
}
