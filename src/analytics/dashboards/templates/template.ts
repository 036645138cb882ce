/** Dashboard templates as clients send them. */
import { InvalidInput } from '../../../platform/errors.ts';
import { stringEnum, nullable, Type, type Static } from '../../../platform/schema.ts';
import { dictionaryOf, tagsOf } from '../fields.ts';
import type { GivenTile } from '../tiles/schema.ts';
import type { DashboardTemplate } from './dashboard-template.ts';

const Text = Type.Optional(nullable(Type.String({ maxLength: 10_000 })));
const Json = Type.Record(Type.String(), Type.Unknown());

const TemplateTileBody = Type.Object({
  type: stringEnum(['INSIGHT', 'TEXT'] as const),
  name: Type.Optional(nullable(Type.String({ maxLength: 400 }))),
  description: Text,
  query: Type.Optional(Type.Unknown()),
  filters: Type.Optional(
    Type.Unknown({ description: 'The filters of an insight in older templates, in place of `query`.' }),
  ),
  body: Type.Optional(nullable(Type.String({ description: 'The content of a text tile, in Markdown.' }))),
  layouts: Type.Optional(nullable(Json)),
  color: Type.Optional(nullable(Type.String({ maxLength: 400 }))),
});
type TemplateTileBody = Static<typeof TemplateTileBody>;

/** A template in a request: upstream's `dashboard_template`, without the fields that only its list of templates shows. */
export const TemplateBody = Type.Object(
  {
    template_name: Type.Optional(nullable(Type.String({ maxLength: 400 }))),
    dashboard_description: Text,
    dashboard_filters: Type.Optional(Type.Unknown()),
    tags: Type.Optional(nullable(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100 }))),
    tiles: Type.Array(TemplateTileBody, { maxItems: 500 }),
  },
  { title: 'DashboardTemplate' },
);
export type TemplateBody = Static<typeof TemplateBody>;

/** @throws InvalidInput for filters that are not an object, and for an insight without a query */
export function templateOf(body: TemplateBody): DashboardTemplate {
  return {
    name: body.template_name ?? null,
    description: body.dashboard_description ?? '',
    filters: dictionaryOf(body.dashboard_filters, 'Filters', 'template__dashboard_filters') ?? {},
    tags: tagsOf(body.tags ?? []),
    tiles: body.tiles.map(tileOf),
  };
}

function tileOf(tile: TemplateTileBody, index: number): GivenTile {
  const { layouts = {}, color = null } = tile;
  if (tile.type === 'TEXT') return { text: { body: tile.body ?? '' }, layouts, color };
  if (!tile.query && !tile.filters) {
    throw new InvalidInput('An insight needs a query.', `template__tiles__${index}__query`);
  }
  const { name, description, query, filters } = tile;
  const question = query ? { query } : { filters };
  return { insight: { name, description, ...question }, layouts, color };
}
