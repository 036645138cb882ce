/** Renders descriptions, in the part of Markdown that they use: paragraphs, tables, and code in backticks. */
import { h, type ComponentChild } from 'preact';

/** Renders each paragraph as a block. Inline elements alone would join them. */
export function prose(text: string): ComponentChild {
  const blocks = text.trim().split(/\n{2,}/);
  if (blocks.length === 1 && !isTable(text)) return inline(text);
  return blocks.map((block) => (isTable(block) ? table(block) : h('p', null, inline(block))));
}

const isTable = (block: string) => /^\|.*\|\n\|[ |:-]+\|/.test(block);

function table(block: string): ComponentChild {
  const [names = [], , ...rows] = block.split('\n').map((line) => line.split('|').slice(1, -1));
  return h('table', null, [
    h('thead', null, row('th', names)),
    h(
      'tbody',
      null,
      rows.map((cells) => row('td', cells)),
    ),
  ]);
}

function row(tag: 'th' | 'td', cells: readonly string[]): ComponentChild {
  return h(
    'tr',
    null,
    cells.map((cell) => h(tag, null, inline(cell.trim()))),
  );
}

/** Renders backticks as code. */
function inline(text: string): ComponentChild {
  return text.split('`').map((part, index) => (index % 2 === 1 ? h('code', null, part) : part));
}
