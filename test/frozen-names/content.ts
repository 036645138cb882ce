import type { Content, Model } from '../../src/conditions/rows/content.ts';

/** Everything that a model has. */
export function wholeContent(model: Model): Content {
  return {
    model,
    includeEvents: [],
    excludeEvents: [],
    filters: [],
    query: null,
    includeColumns: null,
    excludeColumns: [],
    transformations: [],
  };
}
