/** Dashboards on the wire. */
import { LEVELS } from '../../platform/http/access.ts';
import { UserBody } from '../../people/accounts/users.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { CREATION_MODES } from './dashboards.store.ts';
import { EVERYONE_EDITS, ONLY_COLLABORATORS_EDIT, type RestrictionLevel } from './restriction-level.ts';
import { TEMPLATE_NAMES } from './templates/built-in.ts';
import { DuplicatedTilesBody, GivenTilesBody, TileBody } from './tiles/schema.ts';

const MAX_ID = 2 ** 31 - 1;

const Id = Type.Integer({ minimum: 1, maximum: MAX_ID });
const Instant = Type.String({ format: 'date-time' });
const Json = Type.Record(Type.String(), Type.Unknown());

export const DashboardParams = Type.Object({ id: Id });

/** Without a type beside it: what is not a number is no valid choice either. */
export const RestrictionLevelChoice = Type.Unsafe<RestrictionLevel>({
  enum: [EVERYONE_EDITS, ONLY_COLLABORATORS_EDIT],
  description:
    '21: everybody may edit who may edit dashboards; 37: of them only its creator, collaborators and admins.',
});

const given = {
  name: Type.Optional(nullable(Type.String({ maxLength: 400 }))),
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  pinned: Type.Optional(Type.Boolean()),
  last_accessed_at: Type.Optional(nullable(Instant)),
  deleted: Type.Optional(Type.Boolean({ description: '`false` restores one that was deleted.' })),
  tags: Type.Optional(
    nullable(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100 }), { description: 'null: as they are.' }),
  ),
  filters: Type.Optional(
    Type.Unknown({ description: 'An object, laid over the queries of the tiles; `{}` clears it.' }),
  ),
  variables: Type.Optional(Type.Unknown({ description: 'An object; `{}` clears it.' })),
  breakdown_colors: Type.Optional(nullable(Type.Array(Type.Unknown(), { maxItems: 1000 }))),
  data_color_theme_id: Type.Optional(nullable(Type.Integer({ minimum: -MAX_ID, maximum: MAX_ID }))),
  quick_filter_ids: Type.Optional(
    nullable(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 }), {
      description: 'There are no quick filters here: only an empty list is one of existing ones.',
    }),
  ),
  restriction_level: Type.Optional(RestrictionLevelChoice),
  delete_insights: Type.Optional(
    Type.Boolean({ description: 'With `deleted`: insights that are on no other dashboard are deleted, too.' }),
  ),
};

export const NewDashboardBody = Type.Object(
  {
    ...given,
    use_template: Type.Optional(
      nullable(Type.String({ maxLength: 400 }), {
        description: `A built-in template: ${TEMPLATE_NAMES.map((name) => `\`${name}\``).join(' or ')}.`,
      }),
    ),
    use_dashboard: Type.Optional(nullable(Id, { description: 'To copy filters, variables, colours and tiles of.' })),
    duplicate_tiles: Type.Optional(
      Type.Boolean({ description: 'With `use_dashboard`: insights and texts are copied, too, not shared.' }),
    ),
    tiles: Type.Optional(GivenTilesBody),
  },
  { title: 'NewDashboard' },
);
export type NewDashboardBody = Static<typeof NewDashboardBody>;

export const DashboardPatchBody = Type.Object(
  {
    ...given,
    tiles: Type.Optional(GivenTilesBody),
    duplicate_tiles: Type.Optional(DuplicatedTilesBody),
  },
  { title: 'DashboardPatch', description: 'What is left out stays.' },
);
export type DashboardPatchBody = Static<typeof DashboardPatchBody>;

const Level = Type.Integer({ description: '21: to view, 37: to edit.' });

const listed = {
  id: Type.Integer(),
  name: nullable(Type.String()),
  description: Type.String(),
  pinned: Type.Boolean(),
  created_at: Instant,
  created_by: nullable(UserBody),
  is_shared: Type.Boolean({ description: 'Whether its link is open to everybody who has it.' }),
  deleted: Type.Boolean(),
  creation_mode: stringEnum(CREATION_MODES),
  tags: Type.Array(Type.String()),
  restriction_level: Level,
  effective_restriction_level: Level,
  effective_privilege_level: Level,
  user_access_level: nullable(stringEnum(LEVELS), { description: 'null: seen by a shared link.' }),
  access_control_version: stringEnum(['v1', 'v2'] as const, { description: 'v1: restricted to collaborators.' }),
};

export const ListedDashboardBody = Type.Object(
  { ...listed, search_match_type: Type.Optional(stringEnum(['exact', 'similar'] as const)) },
  { title: 'ListedDashboard' },
);
export type ListedDashboardBody = Static<typeof ListedDashboardBody>;

export const DashboardBody = Type.Object(
  {
    ...listed,
    last_accessed_at: nullable(Instant),
    last_viewed_at: Type.Null(),
    last_refresh: nullable(Instant),
    team_id: Type.Integer({ description: 'The project.' }),
    use_template: Type.String({ description: 'The template that it was made from; empty: none.' }),
    use_dashboard: nullable(Type.Integer({ description: 'The dashboard that it was copied from.' })),
    delete_insights: Type.Boolean({ description: 'Always false: it is part of a request to delete, and not kept.' }),
    filters: Json,
    variables: Json,
    breakdown_colors: Type.Array(Type.Unknown()),
    data_color_theme_id: nullable(Type.Integer()),
    persisted_filters: nullable(Json, { description: 'Without what this request lays over them; null: none.' }),
    persisted_variables: nullable(Json),
    quick_filter_ids: Type.Array(Type.String()),
    tiles: Type.Array(TileBody),
  },
  { title: 'Dashboard' },
);
export type DashboardBody = Static<typeof DashboardBody>;
