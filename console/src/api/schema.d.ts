/** Written by `npm run console:types`. */
export interface paths {
    "/_livez/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["livez_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/_readyz/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["readyz_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/early_access_features/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["published_early_access_features_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["environments_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["environments_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/access_controls/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["access_controls_retrieve"];
        put: operations["access_controls_update"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/activity_log/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["activity_log_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/app_metrics/{batch_export_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["app_metrics_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_list"];
        put?: never;
        post: operations["batch_exports_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{batch_export_id}/backfills/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_backfills_list"];
        put?: never;
        post: operations["batch_exports_backfills_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{batch_export_id}/backfills/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_backfills_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{batch_export_id}/backfills/{id}/cancel/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["batch_exports_backfills_cancel_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{batch_export_id}/foreign_deliveries/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_foreign_deliveries_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{batch_export_id}/foreign_deliveries/{id}/accept/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["batch_exports_foreign_deliveries_accept_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_runs_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_runs_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/attempts/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_runs_attempts_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/cancel/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["batch_exports_runs_cancel_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/diagnosis/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_runs_diagnosis_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/logs/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_runs_logs_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/progress/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_runs_progress_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{batch_export_id}/runs/{id}/retry/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["batch_exports_runs_retry_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_retrieve"];
        put: operations["batch_exports_update"];
        post?: never;
        delete: operations["batch_exports_destroy"];
        options?: never;
        head?: never;
        patch: operations["batch_exports_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{id}/access_controls/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_access_controls_retrieve"];
        put: operations["batch_exports_access_controls_update"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{id}/backfill/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["batch_exports_backfill_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{id}/intervals/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_intervals_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{id}/intervals/map/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_intervals_map_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{id}/logs/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_logs_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{id}/pause/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["batch_exports_pause_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{id}/preview/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["batch_exports_preview_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{id}/run_test_step/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["batch_exports_run_test_step_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{id}/unpause/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["batch_exports_unpause_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/{id}/users_with_access/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_users_with_access_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/bulk/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["batch_exports_bulk_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/destinations/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_destinations_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/overview/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_overview_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/preview/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["batch_exports_preview_new_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/run_test_step_new/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["batch_exports_run_test_step_new_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/schedule_preview/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["batch_exports_schedule_preview_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/batch_exports/test/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["batch_exports_test_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/cohorts/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["cohorts_list"];
        put?: never;
        post: operations["cohorts_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/cohorts/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["cohorts_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["cohorts_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/cohorts/{id}/activity/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["cohorts_activity_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/cohorts/{id}/add_persons_to_static_cohort/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["cohorts_add_persons_to_static_cohort_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/cohorts/{id}/persons/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["cohorts_persons_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/cohorts/{id}/remove_person_from_static_cohort/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["cohorts_remove_person_from_static_cohort_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["dashboards_list"];
        put?: never;
        post: operations["dashboards_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{dashboard_id}/collaborators/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["dashboards_collaborators_list"];
        put?: never;
        post: operations["dashboards_collaborators_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{dashboard_id}/collaborators/{user__uuid}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["dashboards_collaborators_destroy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{dashboard_id}/sharing/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["dashboards_sharing_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["dashboards_sharing_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{dashboard_id}/sharing/passwords/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["dashboards_sharing_passwords_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{dashboard_id}/sharing/passwords/{password_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["dashboards_sharing_passwords_destroy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{dashboard_id}/sharing/refresh/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["dashboards_sharing_refresh_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["dashboards_retrieve"];
        put: operations["dashboards_update"];
        post?: never;
        delete: operations["dashboards_destroy"];
        options?: never;
        head?: never;
        patch: operations["dashboards_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{id}/access_controls/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["dashboards_access_controls_retrieve"];
        put: operations["dashboards_access_controls_update"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{id}/copy_tile/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["dashboards_copy_tile_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{id}/create_text_tile/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["dashboards_create_text_tile_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{id}/delete_tile/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["dashboards_delete_tile_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{id}/move_tile/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["dashboards_move_tile_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["dashboards_move_tile_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{id}/reorder_tiles/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["dashboards_reorder_tiles_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{id}/run_insights/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["dashboards_run_insights_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{id}/stream_tiles/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["dashboards_stream_tiles_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{id}/update_text_tile/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["dashboards_update_text_tile_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{id}/users_with_access/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["dashboards_users_with_access_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/create_from_template_json/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["dashboards_create_from_template_json_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/create_unlisted_dashboard/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["dashboards_create_unlisted_dashboard_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/early_access_feature/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["early_access_feature_list"];
        put?: never;
        post: operations["early_access_feature_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/early_access_feature/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["early_access_feature_retrieve"];
        put?: never;
        post?: never;
        delete: operations["early_access_feature_destroy"];
        options?: never;
        head?: never;
        patch: operations["early_access_feature_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/erasures/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["erasures_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/erasures/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["erasures_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/erasures/{id}/deliveries/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["erasures_deliveries_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/erasures/{id}/mark_handled/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["erasures_mark_handled_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/events/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["events_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/events/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["events_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/experiment_holdouts/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["experiment_holdouts_list"];
        put?: never;
        post: operations["experiment_holdouts_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/experiment_holdouts/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["experiment_holdouts_retrieve"];
        put?: never;
        post?: never;
        delete: operations["experiment_holdouts_destroy"];
        options?: never;
        head?: never;
        patch: operations["experiment_holdouts_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/experiments/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["experiments_list"];
        put?: never;
        post: operations["experiments_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/experiments/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["experiments_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["experiments_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/experiments/{id}/results/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["experiments_results_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/feature_flags/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["feature_flags_list"];
        put?: never;
        post: operations["feature_flags_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/feature_flags/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["feature_flags_retrieve"];
        put: operations["feature_flags_update"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["feature_flags_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/feature_flags/{id}/access_controls/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["feature_flags_access_controls_retrieve"];
        put: operations["feature_flags_access_controls_update"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/feature_flags/{id}/activity/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["feature_flags_activity_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/feature_flags/{id}/status/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["feature_flags_status_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/feature_flags/{id}/users_with_access/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["feature_flags_users_with_access_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/feature_flags/{key}/remote_config/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["feature_flags_remote_config_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/feature_flags/activity/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["feature_flags_all_activity_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/feature_flags/evaluate/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["feature_flags_evaluate_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/feature_flags/evaluation_reasons/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["feature_flags_evaluation_reasons_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/feature_flags/local_evaluation/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["feature_flags_local_evaluation_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/feature_flags/my_flags/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["feature_flags_my_flags_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/feature_flags/requests/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["feature_flags_requests_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/feature_flags/usage/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["feature_flags_usage_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/feature_flags/user_blast_radius/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["feature_flags_user_blast_radius_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/global_access_controls/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["global_access_controls_retrieve"];
        put: operations["global_access_controls_update"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/groups_types/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["groups_types_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/groups_types/update_metadata/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["groups_types_update_metadata_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/groups/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["groups_list"];
        put?: never;
        post: operations["groups_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/groups/delete_property/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["groups_delete_property_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/groups/find/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["groups_find_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/groups/update_property/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["groups_update_property_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/ingestion_warnings/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["ingestion_warnings_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/insights/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["insights_list"];
        put?: never;
        post: operations["insights_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/insights/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["insights_retrieve"];
        put?: never;
        post?: never;
        delete: operations["insights_destroy"];
        options?: never;
        head?: never;
        patch: operations["insights_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/insights/{id}/access_controls/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["insights_access_controls_retrieve"];
        put: operations["insights_access_controls_update"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/insights/{id}/users_with_access/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["insights_users_with_access_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/insights/{insight_id}/sharing/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["insights_sharing_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["insights_sharing_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/insights/{insight_id}/sharing/passwords/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["insights_sharing_passwords_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/insights/{insight_id}/sharing/passwords/{password_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["insights_sharing_passwords_destroy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/insights/{insight_id}/sharing/refresh/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["insights_sharing_refresh_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/integrations/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["integrations_list"];
        put?: never;
        post: operations["integrations_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/integrations/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["integrations_retrieve"];
        put?: never;
        post?: never;
        delete: operations["integrations_destroy"];
        options?: never;
        head?: never;
        patch: operations["integrations_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/live/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["live_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["persons_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["persons_retrieve"];
        put?: never;
        post?: never;
        delete: operations["persons_destroy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/bulk_delete/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["persons_bulk_delete_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/project_secret_api_keys/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["project_secret_api_keys_list"];
        put?: never;
        post: operations["project_secret_api_keys_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/project_secret_api_keys/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["project_secret_api_keys_retrieve"];
        put?: never;
        post?: never;
        delete: operations["project_secret_api_keys_destroy"];
        options?: never;
        head?: never;
        patch: operations["project_secret_api_keys_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/project_secret_api_keys/{id}/roll/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["project_secret_api_keys_roll_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/query/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["query_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/reset_token/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["reset_token_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/resource_access_controls/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["resource_access_controls_retrieve"];
        put: operations["resource_access_controls_update"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/storage/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["storage_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/surveys/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["surveys_list"];
        put?: never;
        post: operations["surveys_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/surveys/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["surveys_retrieve"];
        put: operations["surveys_update"];
        post?: never;
        delete: operations["surveys_destroy"];
        options?: never;
        head?: never;
        patch: operations["surveys_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/surveys/{id}/stats/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["surveys_stats_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/surveys/responses_count/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["surveys_responses_count_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/surveys/stats/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["surveys_all_stats_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/feature_flag/local_evaluation/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["feature_flag_local_evaluation_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/instance/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["instance_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/login/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["login_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/login/link/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["login_link_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/logout/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["logout_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["organizations_list"];
        put?: never;
        post: operations["organizations_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["organizations_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["organizations_partial_update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/activity_log/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["organizations_activity_log_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/invites/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["organizations_invites_list"];
        put?: never;
        post: operations["organizations_invites_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/invites/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["organizations_invites_destroy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/invites/bulk/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["organizations_invites_bulk_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/members/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["organizations_members_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/members/{user__uuid}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["organizations_members_retrieve"];
        put?: never;
        post?: never;
        delete: operations["organizations_members_destroy"];
        options?: never;
        head?: never;
        patch: operations["organizations_members_partial_update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/projects/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["organizations_projects_list"];
        put?: never;
        post: operations["organizations_projects_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/roles/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["organizations_roles_list"];
        put?: never;
        post: operations["organizations_roles_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/roles/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["organizations_roles_retrieve"];
        put?: never;
        post?: never;
        delete: operations["organizations_roles_destroy"];
        options?: never;
        head?: never;
        patch: operations["organizations_roles_partial_update"];
        trace?: never;
    };
    "/api/organizations/{organization_id}/roles/{role_id}/role_memberships/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["organizations_roles_role_memberships_list"];
        put?: never;
        post: operations["organizations_roles_role_memberships_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/roles/{role_id}/role_memberships/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["organizations_roles_role_memberships_destroy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/personal_api_keys/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["personal_api_keys_list"];
        put?: never;
        post: operations["personal_api_keys_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/personal_api_keys/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["personal_api_keys_retrieve"];
        put?: never;
        post?: never;
        delete: operations["personal_api_keys_destroy"];
        options?: never;
        head?: never;
        patch: operations["personal_api_keys_partial_update"];
        trace?: never;
    };
    "/api/personal_api_keys/{id}/roll/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["personal_api_keys_roll_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["projects_list"];
        put?: never;
        post: operations["projects_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["projects_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["projects_partial_update"];
        trace?: never;
    };
    "/api/reset/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["reset_availability_retrieve"];
        put?: never;
        post: operations["reset_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/reset/{token}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["reset_retrieve"];
        put?: never;
        post: operations["reset_complete_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/signup/{invite_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["signup_retrieve"];
        put?: never;
        post: operations["signup_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/surveys/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["published_surveys_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/@me/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["users_me_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["users_me_partial_update"];
        trace?: never;
    };
    "/api/users/@me/sessions/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["users_me_sessions_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/@me/sessions/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["users_me_sessions_destroy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/@me/sessions/end_others/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["users_me_sessions_end_others_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/web_experiments/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["web_experiments_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/flags/definitions/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["flags_definitions_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** AccessControl */
        AccessControl: {
            /** @enum {string} */
            access_level: "none" | "viewer" | "editor" | "manager" | "member" | "admin";
            /** Format: date-time */
            created_at: string;
            created_by: number | null;
            organization_member: string | null;
            resource: string;
            resource_id: string | null;
            role: string | null;
            /** Format: date-time */
            updated_at: string;
        };
        /** AccessControlPut */
        AccessControlPut: {
            access_level: string | null;
            organization_member?: string | null;
            role?: string | null;
        };
        /** AccessControls */
        AccessControls: {
            access_controls: components["schemas"]["AccessControl"][];
            available_access_levels: ("none" | "viewer" | "editor" | "manager" | "member" | "admin")[];
            /** @enum {string} */
            default_access_level: "none" | "viewer" | "editor" | "manager" | "member" | "admin";
            /** @enum {string} */
            maximum_access_level: "none" | "viewer" | "editor" | "manager" | "member" | "admin";
            /** @enum {string} */
            minimum_access_level: "none" | "viewer" | "editor" | "manager" | "member" | "admin";
            user_access_level: ("none" | "viewer" | "editor" | "manager" | "member" | "admin") | null;
            user_can_edit_access_levels: boolean;
        };
        /** Activity */
        Activity: {
            /** @enum {string} */
            activity: "created" | "updated" | "deleted" | "restored" | "logged_in" | "logged_out" | "sharing enabled" | "sharing disabled" | "access token refreshed" | "share_login_success" | "share_login_failed";
            /** Format: date-time */
            created_at: string;
            detail: {
                changes: {
                    /** @enum {string} */
                    action: "created" | "changed" | "deleted";
                    after: unknown;
                    before: unknown;
                    field: string;
                    type: string;
                }[];
                name: string;
                short_id: null;
                type: string | null;
                version: number | null;
            };
            /** Format: uuid */
            id: string;
            item_id: string;
            /** Format: uuid */
            organization_id: string;
            scope: string;
            team_id: number | null;
            user: components["schemas"]["User"] | null;
            was_impersonated: boolean;
        };
        /** Backfill */
        Backfill: {
            adjusted_start_at: string | null;
            /** Format: uuid */
            batch_export: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            end_at: string;
            finished_at: string | null;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "scheduled" | "retry" | "backfill" | "gap" | "stale";
            /** Format: date-time */
            last_updated_at: string;
            progress: {
                failed_runs: number;
                finished_runs: number;
                progress: number;
                total_runs: number;
            };
            /** Format: date-time */
            start_at: string;
            /** @enum {string} */
            status: "Starting" | "Running" | "Completed" | "Failed" | "Cancelled";
            team: number;
            total_records_count: number | null;
            waiting_for: string | null;
        };
        /** BackfillId */
        BackfillId: {
            /** Format: uuid */
            backfill_id: string;
        };
        /** BackfillPreview */
        BackfillPreview: {
            awaiting_decision: {
                count: number;
                first: components["schemas"]["DataInterval"][];
            };
            /** @constant */
            dry_run: true;
            /** Format: date-time */
            end_at: string;
            estimate: {
                basis: {
                    backfills: number;
                    runs: number;
                    /** Format: date-time */
                    since: string;
                } | null;
                rows: number | null;
                seconds: {
                    high: number;
                    low: number;
                } | null;
            };
            intervals: {
                delivered: {
                    count: number;
                    first: components["schemas"]["DataInterval"][];
                };
                failed: {
                    count: number;
                    first: components["schemas"]["DataInterval"][];
                };
                missing: {
                    count: number;
                    first: components["schemas"]["DataInterval"][];
                };
                running: {
                    count: number;
                    first: components["schemas"]["DataInterval"][];
                };
                stale: {
                    count: number;
                    first: components["schemas"]["DataInterval"][];
                };
            };
            overwrites: {
                files: number;
                intervals: number;
                records: number;
            };
            plan: string;
            rows: {
                count: number;
                exact: boolean;
            } | null;
            skipped: {
                delivered: number;
                failed: number;
                missing: number;
                running: number;
                stale: number;
            };
            /** Format: date-time */
            start_at: string;
            total_runs: number;
        };
        /** BasicInsight */
        BasicInsight: {
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"] | null;
            dashboard_tiles: {
                dashboard_id: number;
                deleted: boolean;
                id: number;
            }[];
            dashboards: number[];
            deleted: boolean;
            derived_name: string | null;
            description: string;
            effective_privilege_level: number;
            effective_restriction_level: number;
            favorited: boolean;
            filters: Record<string, never>;
            id: number;
            is_sample: boolean;
            /** Format: date-time */
            last_modified_at: string;
            last_modified_by: components["schemas"]["User"] | null;
            last_viewed_at: null;
            name: string | null;
            order: null;
            query: {
                [key: string]: unknown;
            } | null;
            saved: boolean;
            short_id: string;
            tags: string[];
            /** Format: date-time */
            updated_at: string;
            user_access_level: ("none" | "viewer" | "editor" | "manager") | null;
        };
        /** BatchExport */
        BatchExport: {
            complete_until: string | null;
            /** Format: date-time */
            created_at: string;
            destination: {
                config: {
                    [key: string]: unknown;
                };
                integration: number | null;
                type: string;
            };
            end_at: string | null;
            error: components["schemas"]["BatchExportError"] | null;
            exclude_columns: string[];
            filters: {
                [key: string]: unknown;
            }[] | null;
            freshness_target_seconds: number | null;
            hogql_query: string | null;
            /** Format: uuid */
            id: string;
            include_columns: string[] | null;
            interval: string;
            interval_troubles: {
                gave_up: number;
                stale: number;
                unsettled: number;
            };
            jitter_seconds: number;
            lag_seconds: number;
            last_paused_at: string | null;
            /** Format: date-time */
            last_updated_at: string;
            latest_runs: components["schemas"]["BatchExportRunSummary"][];
            max_concurrent_runs: number;
            /** @enum {string} */
            model: "events" | "persons" | "sessions";
            name: string;
            notifications: components["schemas"]["Notifications"] | null;
            offset_day: number | null;
            offset_hour: number | null;
            pause: components["schemas"]["Pause"] | null;
            paused: boolean;
            paused_reason: string | null;
            promises: {
                /** @enum {string} */
                first: "exactly_once" | "at_least_once" | "counts_only";
                /** @enum {string} */
                readers: "never_half" | "half_while_replaced" | "half_while_sent" | "no_rows";
                /** @enum {string} */
                redelivery: "replaces" | "repeats_by_uuid" | "counts_only";
            };
            redeliver_stale: boolean;
            schema: {
                fields: {
                    alias: string;
                    expression: string;
                    type: string;
                }[];
                hogql_query: string;
                values: Record<string, never>;
            } | null;
            start_at: string | null;
            team_id: number;
            timezone: string;
            transformations: components["schemas"]["Transformation"][];
            /** @enum {string} */
            user_access_level: "none" | "viewer" | "editor" | "manager";
        };
        /** BatchExportError */
        BatchExportError: {
            code: string;
            detail: string;
            field: string | null;
            next_try_at: string | null;
            /** @enum {string} */
            owner: "you" | "destination" | "sluice";
        };
        /** BatchExportMetrics */
        BatchExportMetrics: {
            errors: null;
            metrics: {
                dates: string[];
                failures: number[];
                successes: number[];
                successes_on_retry: number[];
                totals: {
                    failures: number;
                    successes: number;
                    successes_on_retry: number;
                };
            };
        };
        /** BatchExportOverview */
        BatchExportOverview: {
            complete_until: string | null;
            counts_are_minimums: boolean;
            destination: {
                label: string;
                type: string;
            };
            freshness_target_seconds: number | null;
            /** Format: uuid */
            id: string;
            interval: string;
            lag_seconds: number;
            last_error: components["schemas"]["LastError"] | null;
            last_paused_at: string | null;
            missed_while_paused: components["schemas"]["MissedIntervals"] | null;
            /** @enum {string} */
            model: "events" | "persons" | "sessions";
            name: string;
            needs_you: number;
            needs_you_held: number;
            newest_delivery: {
                /** Format: date-time */
                data_interval_end: string;
                /** Format: date-time */
                data_interval_start: string;
            } | null;
            next_try_at: string | null;
            pause: components["schemas"]["Pause"] | null;
            paused: boolean;
            paused_reason: string | null;
            recent: {
                boundaries: {
                    count: number;
                    /** Format: date-time */
                    start: string;
                    step_seconds: number;
                }[];
                lengths: number[];
                states: ("--" | "hi" | "xi" | "ni" | "si" | "np" | "hw" | "nw" | "sw" | "hr" | "nr" | "sr" | "ht" | "nt" | "st" | "hy" | "ny" | "sy")[];
            };
            retrying: number;
            start_at: string | null;
            /** @enum {string} */
            state: "needs_you" | "retrying" | "behind" | "paused" | "on_time";
            /** @enum {string} */
            user_access_level: "none" | "viewer" | "editor" | "manager";
        };
        /** BatchExportPatch */
        BatchExportPatch: {
            destination?: {
                config?: {
                    [key: string]: unknown;
                } | null;
                integration?: number | null;
                integration_id?: number | null;
                type: string;
            };
            end_at?: string | null;
            exclude_columns?: string[] | null;
            filters?: unknown;
            freshness_target_seconds?: number | null;
            hash_key?: string;
            hogql_query?: string | null;
            include_columns?: string[] | null;
            interval?: string;
            jitter_seconds?: number | null;
            last_paused_at?: string | null;
            max_concurrent_runs?: number;
            model?: string;
            name?: string;
            notifications?: components["schemas"]["NotificationsIn"] | null;
            offset_day?: number | null;
            offset_hour?: number | null;
            paused?: boolean;
            redeliver_stale?: boolean;
            start_at?: string | null;
            timezone?: string | null;
            transformations?: components["schemas"]["Transformation"][] | null;
        };
        /** BatchExportPatchPreview */
        BatchExportPatchPreview: {
            data_interval_end?: string;
            data_interval_start?: string;
            destination?: {
                config?: {
                    [key: string]: unknown;
                } | null;
                integration?: number | null;
                integration_id?: number | null;
                type: string;
            };
            end_at?: string | null;
            exclude_columns?: string[] | null;
            filters?: unknown;
            freshness_target_seconds?: number | null;
            hash_key?: string;
            hogql_query?: string | null;
            include_columns?: string[] | null;
            interval?: string;
            jitter_seconds?: number | null;
            last_paused_at?: string | null;
            max_concurrent_runs?: number;
            model?: string;
            name?: string;
            notifications?: components["schemas"]["NotificationsIn"] | null;
            offset_day?: number | null;
            offset_hour?: number | null;
            paused?: boolean;
            redeliver_stale?: boolean;
            start_at?: string | null;
            timezone?: string | null;
            transformations?: components["schemas"]["Transformation"][] | null;
        };
        /** BatchExportPreview */
        BatchExportPreview: {
            columns: {
                name: string;
                type: string;
            }[];
            /** Format: date-time */
            data_interval_end: string;
            /** Format: date-time */
            data_interval_start: string;
            names: string[];
            records_total_count: number;
            rows: {
                [key: string]: unknown;
            }[];
        };
        /** BatchExportPut */
        BatchExportPut: {
            destination: {
                config?: {
                    [key: string]: unknown;
                } | null;
                integration?: number | null;
                integration_id?: number | null;
                type: string;
            };
            end_at?: string | null;
            exclude_columns?: string[] | null;
            filters?: unknown;
            freshness_target_seconds?: number | null;
            hash_key?: string;
            hogql_query?: string | null;
            include_columns?: string[] | null;
            interval: string;
            jitter_seconds?: number | null;
            last_paused_at?: string | null;
            max_concurrent_runs?: number;
            model?: string;
            name: string;
            notifications?: components["schemas"]["NotificationsIn"] | null;
            offset_day?: number | null;
            offset_hour?: number | null;
            paused?: boolean;
            redeliver_stale?: boolean;
            start_at?: string | null;
            timezone?: string | null;
            transformations?: components["schemas"]["Transformation"][] | null;
        };
        /** BatchExportRun */
        BatchExportRun: {
            backfill: string | null;
            /** Format: uuid */
            batch_export: string;
            bytes_exported: number | null;
            /** Format: date-time */
            created_at: string;
            cursor: string | null;
            /** Format: date-time */
            data_interval_end: string;
            /** Format: date-time */
            data_interval_start: string;
            error: components["schemas"]["BatchExportError"] | null;
            finished_at: string | null;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "scheduled" | "retry" | "backfill" | "gap" | "stale";
            /** Format: date-time */
            last_updated_at: string;
            latest_error: string | null;
            receipt: {
                [key: string]: unknown;
            } | null;
            records_completed: number | null;
            records_failed: number | null;
            records_total_count: number | null;
            /** @enum {string} */
            status: "Starting" | "Running" | "Completed" | "Failed" | "FailedRetryable" | "Cancelled" | "Terminated" | "TimedOut" | "ContinuedAsNew";
            verified_at: string | null;
            waiting_for: string | null;
            workflow_id: string;
            workflow_run_id: string;
        };
        /** BatchExportRunSummary */
        BatchExportRunSummary: {
            backfill: string | null;
            /** Format: uuid */
            batch_export: string;
            bytes_exported: number | null;
            /** Format: date-time */
            created_at: string;
            cursor: string | null;
            /** Format: date-time */
            data_interval_end: string;
            /** Format: date-time */
            data_interval_start: string;
            error: components["schemas"]["BatchExportError"] | null;
            finished_at: string | null;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "scheduled" | "retry" | "backfill" | "gap" | "stale";
            /** Format: date-time */
            last_updated_at: string;
            latest_error: string | null;
            records_completed: number | null;
            records_failed: number | null;
            records_total_count: number | null;
            /** @enum {string} */
            status: "Starting" | "Running" | "Completed" | "Failed" | "FailedRetryable" | "Cancelled" | "Terminated" | "TimedOut" | "ContinuedAsNew";
            verified_at: string | null;
            workflow_id: string;
            workflow_run_id: string;
        };
        /** BatchExportsOverview */
        BatchExportsOverview: {
            count: number;
            deliveries_blocked: string | null;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["BatchExportOverview"][];
            totals: {
                behind: number;
                needs_you: number;
                on_time: number;
                paused: number;
                retrying: number;
            };
            /** @enum {string} */
            user_access_level: "none" | "viewer" | "editor" | "manager";
        };
        /** BlastRadiusOf */
        BlastRadiusOf: {
            condition: {
                [key: string]: unknown;
            };
            group_type_index?: number | null;
        };
        /** BulkAction */
        BulkAction: {
            /** @enum {string} */
            action: "pause" | "unpause" | "retry_failed";
            dry_run?: boolean;
            ids: string[];
            include_retrying?: boolean;
            plan?: string;
            reason?: string | null;
            resume_at?: string | null;
        };
        /** BulkResult */
        BulkResult: {
            backfill_id: string | null;
            error: components["schemas"]["Error"] | null;
            /** Format: uuid */
            id: string;
            intervals: number | null;
            plan: string | null;
            /** @enum {string} */
            result: "changed" | "unchanged" | "refused";
            retrying: number | null;
        };
        /** BulkResults */
        BulkResults: {
            results: components["schemas"]["BulkResult"][];
        };
        /** Cancelled */
        Cancelled: {
            /** @constant */
            cancelled: true;
        };
        /** ChangedCohort */
        ChangedCohort: {
            count: number | null;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"] | null;
            deleted: boolean;
            description: string;
            errors_calculating: number;
            filters: {
                [key: string]: unknown;
            };
            groups: {
                properties: unknown[];
            }[];
            id: number;
            is_calculating: boolean;
            is_static: boolean;
            last_calculation: string | null;
            last_error_message: string | null;
            listed?: {
                added: number;
                unknown: string[];
                unknown_count: number;
            };
            name: string;
            version: number;
        };
        /** ChangedSharing */
        ChangedSharing: {
            enabled?: boolean;
            expires_at?: string | null;
            password_required?: boolean;
            settings?: unknown;
        };
        /** Cohort */
        Cohort: {
            count: number | null;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"] | null;
            deleted: boolean;
            description: string;
            errors_calculating: number;
            filters: {
                [key: string]: unknown;
            };
            groups: {
                properties: unknown[];
            }[];
            id: number;
            is_calculating: boolean;
            is_static: boolean;
            last_calculation: string | null;
            last_error_message: string | null;
            name: string;
            version: number;
        };
        /** CohortPatch */
        CohortPatch: {
            deleted?: boolean;
            description?: string;
            filters?: {
                [key: string]: unknown;
            } | null;
            groups?: {
                [key: string]: unknown;
            }[];
            is_static?: boolean;
            name?: string;
        };
        /** Collaborator */
        Collaborator: {
            /** Format: date-time */
            added_at: string;
            dashboard_id: number;
            /** Format: uuid */
            id: string;
            level: number;
            /** Format: date-time */
            updated_at: string;
            user: components["schemas"]["User"];
            /** Format: uuid */
            user_uuid: string;
        };
        /** CopiedTile */
        CopiedTile: {
            fromDashboardId: number;
            tileId: number;
        };
        /** Dashboard */
        Dashboard: {
            /** @enum {string} */
            access_control_version: "v1" | "v2";
            breakdown_colors: unknown[];
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"] | null;
            /** @enum {string} */
            creation_mode: "default" | "template" | "duplicate" | "unlisted";
            data_color_theme_id: number | null;
            delete_insights: boolean;
            deleted: boolean;
            description: string;
            effective_privilege_level: number;
            effective_restriction_level: number;
            filters: {
                [key: string]: unknown;
            };
            id: number;
            is_shared: boolean;
            last_accessed_at: string | null;
            last_refresh: string | null;
            last_viewed_at: null;
            name: string | null;
            persisted_filters: {
                [key: string]: unknown;
            } | null;
            persisted_variables: {
                [key: string]: unknown;
            } | null;
            pinned: boolean;
            quick_filter_ids: string[];
            restriction_level: number;
            tags: string[];
            team_id: number;
            tiles: components["schemas"]["DashboardTile"][];
            use_dashboard: number | null;
            use_template: string;
            user_access_level: ("none" | "viewer" | "editor" | "manager") | null;
            variables: {
                [key: string]: unknown;
            };
        };
        /** DashboardPatch */
        DashboardPatch: {
            breakdown_colors?: unknown[] | null;
            data_color_theme_id?: number | null;
            delete_insights?: boolean;
            deleted?: boolean;
            description?: string;
            duplicate_tiles?: components["schemas"]["DuplicatedTile"][];
            filters?: unknown;
            last_accessed_at?: string | null;
            name?: string | null;
            pinned?: boolean;
            quick_filter_ids?: string[] | null;
            /** @enum {unknown} */
            restriction_level?: 21 | 37;
            tags?: string[] | null;
            tiles?: components["schemas"]["GivenTile"][];
            variables?: unknown;
        };
        /** DashboardTemplate */
        DashboardTemplate: {
            dashboard_description?: string | null;
            dashboard_filters?: unknown;
            tags?: string[] | null;
            template_name?: string | null;
            tiles: {
                body?: string | null;
                color?: string | null;
                description?: string | null;
                filters?: unknown;
                layouts?: {
                    [key: string]: unknown;
                } | null;
                name?: string | null;
                query?: unknown;
                /** @enum {string} */
                type: "INSIGHT" | "TEXT";
            }[];
        };
        /** DashboardTile */
        DashboardTile: {
            button_tile: {
                dashboard_tiles: {
                    dashboard_id: number;
                    deleted: boolean;
                    id: number;
                }[];
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                placement: "left" | "right";
                /** @enum {string} */
                style: "primary" | "secondary";
                team: number;
                text: string;
                url: string;
            } | null;
            color: string | null;
            error?: {
                message: string;
                type: string;
            };
            filters_overrides: {
                [key: string]: unknown;
            };
            id: number;
            insight: (components["schemas"]["Insight"] | components["schemas"]["UnseenInsight"]) | null;
            is_cached: boolean;
            last_refresh: string | null;
            layouts: {
                [key: string]: unknown;
            };
            order: number;
            show_description: boolean | null;
            text: {
                body: string | null;
                created_by: components["schemas"]["User"] | null;
                dashboard_tiles: {
                    dashboard_id: number;
                    deleted: boolean;
                    id: number;
                }[];
                id: number;
                /** Format: date-time */
                last_modified_at: string;
                last_modified_by: components["schemas"]["User"] | null;
                team: number;
            } | null;
            transparent_background: boolean | null;
            widget: null;
        };
        /** DataInterval */
        DataInterval: {
            awaiting_decision: boolean;
            /** Format: date-time */
            data_interval_end: string;
            /** Format: date-time */
            data_interval_start: string;
            gave_up: boolean;
            records_delivered: number | null;
            run: string | null;
            /** @enum {string} */
            status: "missing" | "failed" | "stale" | "delivered" | "running" | "expired";
            unsettled: boolean;
        };
        /** DeletedTile */
        DeletedTile: {
            tile_id: number;
        };
        /** Destination */
        Destination: {
            compressions: {
                [key: string]: string[];
            } | null;
            config: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            delivery: "effectively_once" | "at_least_once";
            integration: {
                fields: string[];
                kind: string;
            } | null;
            promises: {
                /** @enum {string} */
                first: "exactly_once" | "at_least_once" | "counts_only";
                /** @enum {string} */
                readers: "never_half" | "half_while_replaced" | "half_while_sent" | "no_rows";
                /** @enum {string} */
                redelivery: "replaces" | "repeats_by_uuid" | "counts_only";
                when: {
                    [key: string]: string;
                };
            }[];
            replaced_secrets: string[];
            steps: {
                description: string;
                name: string;
            }[];
            title: string;
            type: string;
            /** @enum {string} */
            writes: "files" | "rows";
        };
        /** Destinations */
        Destinations: {
            aws_external_id: string | null;
            models: components["schemas"]["ExportedModel"][];
            results: components["schemas"]["Destination"][];
        };
        /** DiagnosedChange */
        DiagnosedChange: {
            /** @enum {string} */
            about: "batch_export" | "integration";
            /** Format: date-time */
            at: string;
            fields: {
                after: unknown;
                before: unknown;
                field: string;
            }[];
            user: {
                email: string;
                first_name: string;
                id: number;
                last_name: string;
                /** Format: uuid */
                uuid: string;
            } | null;
        };
        /** DuplicatedTile */
        DuplicatedTile: {
            id: number;
            layouts?: {
                [key: string]: unknown;
            } | null;
        };
        /** EarlyAccessFeature */
        EarlyAccessFeature: {
            /** Format: date-time */
            created_at: string;
            description: string;
            documentation_url: string;
            feature_flag: components["schemas"]["LinkedFlag"];
            /** Format: uuid */
            id: string;
            name: string;
            payload: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            stage: "draft" | "concept" | "alpha" | "beta" | "general-availability" | "archived";
        };
        /** EarlyAccessFeaturePatch */
        EarlyAccessFeaturePatch: {
            description?: string;
            documentation_url?: string;
            name?: string;
            payload?: {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            stage?: "draft" | "concept" | "alpha" | "beta" | "general-availability" | "archived";
        };
        /** EndedSessions */
        EndedSessions: {
            ended: number;
        };
        /** ErasedDelivery */
        ErasedDelivery: {
            /** Format: uuid */
            batch_export_id: string;
            /** Format: date-time */
            data_interval_end: string;
            /** Format: date-time */
            data_interval_start: string;
            destination_type: string;
            handled_at: string | null;
            kept_until: string | null;
            reason: ("append_destination" | "delivery_in_doubt" | "earlier_place" | "export_deleted" | "export_paused" | "foreign_delivery" | "leftover_files" | "merged_table" | "redelivery_failed" | "rows_found" | "search_failed" | "source_expired" | "superseded_files") | null;
            rows: number;
            rows_found: number | null;
            run_id: string | null;
            /** @enum {string} */
            state: "held" | "clean" | "remainder" | "not_searched" | "handled";
        };
        /** Erasure */
        Erasure: {
            /** Format: date-time */
            created_at: string;
            deliveries: {
                clean: number;
                handled: number;
                held: number;
                not_searched: number;
                remainder: number;
            };
            events_deleted: number;
            finished_at: string | null;
            /** Format: uuid */
            id: string;
            person_versions_deleted: number;
            persons: number;
            /** @enum {string} */
            state: "pending" | "deleting" | "redelivering" | "done" | "done_with_remainder";
            /** Format: date-time */
            stored_before: string;
        };
        /** Error */
        Error: {
            attr: string | null;
            code: string;
            detail: string;
            /** @enum {string} */
            type: "validation_error" | "authentication_error" | "invalid_request" | "throttled_error" | "quota_limited" | "server_error";
        };
        /** Event */
        Event: {
            /** Format: date-time */
            created_at: string;
            distinct_id: string;
            elements_chain: string;
            event: string;
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            person_id: string;
            person_properties?: {
                [key: string]: unknown;
            };
            properties: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            timestamp: string;
        };
        /** Experiment */
        Experiment: {
            archived: boolean;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"] | null;
            deleted: boolean;
            description: string;
            end_date: string | null;
            exposure_criteria: {
                [key: string]: unknown;
            };
            feature_flag: components["schemas"]["LinkedFlag"];
            feature_flag_key: string;
            filters: {
                [key: string]: unknown;
            };
            holdout: components["schemas"]["Holdout"] | null;
            holdout_id: number | null;
            id: number;
            metrics: {
                [key: string]: unknown;
            }[];
            metrics_secondary: {
                [key: string]: unknown;
            }[];
            name: string;
            parameters: {
                [key: string]: unknown;
            };
            saved_metrics: {
                [key: string]: unknown;
            }[];
            start_date: string | null;
            /** @enum {string} */
            status: "draft" | "scheduled" | "running" | "stopped";
            /** @enum {string} */
            type: "product" | "web";
            /** Format: date-time */
            updated_at: string;
        };
        /** ExperimentPatch */
        ExperimentPatch: {
            archived?: boolean;
            deleted?: boolean;
            description?: string | null;
            end_date?: string | null;
            exposure_criteria?: {
                exposure_config?: {
                    /** @constant */
                    event: "$feature_flag_called";
                } | null;
                filterTestAccounts?: boolean | null;
                multiple_variant_handling?: ("exclude" | "first_seen") | null;
            } | null;
            feature_flag_key?: string;
            filters?: {
                [key: string]: unknown;
            } | null;
            holdout_id?: number | null;
            metrics?: unknown;
            metrics_secondary?: unknown;
            name?: string;
            parameters?: {
                aggregation_group_type_index?: number | null;
                feature_flag_variants?: {
                    key: string;
                    name?: string | null;
                    rollout_percentage: number;
                }[] | null;
                rollout_percentage?: number | null;
            } | null;
            saved_metrics_ids?: unknown[] | null;
            start_date?: string | null;
        };
        /** ExperimentResults */
        ExperimentResults: {
            /** Format: date-time */
            date_from: string;
            /** Format: date-time */
            date_to: string;
            exposures: {
                holdout: {
                    count: number;
                    key: string;
                } | null;
                multiple: number;
                sample_ratio: {
                    chi_square: number;
                    expected: {
                        [key: string]: number;
                    };
                    p_value: number;
                } | null;
                total: number;
                variants: {
                    count: number;
                    key: string;
                    rollout_percentage: number;
                }[];
            };
            is_cached: boolean;
            /** Format: date-time */
            last_refresh: string;
            metrics: components["schemas"]["MetricResult"][];
            metrics_secondary: components["schemas"]["MetricResult"][];
            warnings: {
                /** @enum {string} */
                code: "sample_ratio_mismatch" | "not_enough_exposures";
                detail: string;
            }[];
        };
        /** ExportedModel */
        ExportedModel: {
            columns: {
                name: string;
                tables_only: boolean;
                type: string;
            }[];
            filter_operators: ("exact" | "is_not" | "is_set" | "is_not_set" | "icontains" | "not_icontains" | "icontains_multi" | "not_icontains_multi" | "starts_with" | "not_starts_with" | "ends_with" | "not_ends_with" | "regex" | "not_regex" | "gt" | "gte" | "lt" | "lte" | "between" | "not_between" | "is_date_exact" | "is_date_before" | "is_date_after" | "semver_eq" | "semver_neq" | "semver_gt" | "semver_gte" | "semver_lt" | "semver_lte" | "semver_tilde" | "semver_caret" | "semver_wildcard")[];
            filter_types: ("event" | "hogql" | "person")[];
            /** @enum {string} */
            model: "events" | "persons" | "sessions";
        };
        /** FeatureFlag */
        FeatureFlag: {
            active: boolean;
            analytics_dashboards: number[];
            /** @constant */
            archived: false;
            /** @enum {string} */
            bucketing_identifier: "distinct_id" | "device_id";
            can_edit: boolean;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"] | null;
            deleted: boolean;
            ensure_experience_continuity: boolean;
            evaluation_contexts: string[];
            /** @enum {string} */
            evaluation_runtime: "all" | "client" | "server";
            evaluation_tags: string[];
            experiment_set: number[];
            experiment_set_metadata: {
                id: number;
                is_running: boolean;
                name: string;
            }[];
            features: {
                /** Format: uuid */
                id: string;
                name: string;
                stage: string;
            }[];
            filters: components["schemas"]["FlagFilters"];
            has_encrypted_payloads: boolean;
            /** @constant */
            has_enriched_analytics: false;
            id: number;
            ignored_members?: string[];
            is_remote_configuration: boolean;
            /** @constant */
            is_used_in_replay_settings: false;
            key: string;
            last_called_at: null;
            last_modified_by: components["schemas"]["User"] | null;
            local_evaluation: {
                differing_sdks: {
                    reason: string;
                    /** @enum {string} */
                    sdk: "posthog-node" | "posthog-python" | "posthog-ruby" | "posthog-php" | "posthog-go" | "posthog-server" | "posthog-rs";
                    versions: string;
                }[];
                evaluable: boolean;
                reason: string | null;
            };
            name: string;
            performed_rollback: null;
            rollback_conditions: null;
            /** @enum {string} */
            status: "ACTIVE" | "INACTIVE" | "STALE" | "DELETED";
            surveys: {
                /** Format: uuid */
                id: string;
                name: string;
            }[];
            tags: string[];
            /** Format: date-time */
            updated_at: string;
            usage_dashboard: null;
            /** @enum {string} */
            user_access_level: "none" | "viewer" | "editor" | "manager";
            version: number;
        };
        /** FeatureFlagPatch */
        FeatureFlagPatch: {
            active?: boolean;
            bucketing_identifier?: ("distinct_id" | "device_id") | null;
            deleted?: boolean;
            ensure_experience_continuity?: boolean | null;
            evaluation_contexts?: string[] | null;
            evaluation_runtime?: ("all" | "client" | "server") | null;
            evaluation_tags?: string[] | null;
            filters?: components["schemas"]["FlagFilters"];
            has_encrypted_payloads?: boolean | null;
            is_remote_configuration?: boolean | null;
            key?: string;
            name?: string;
            original_flag?: {
                [key: string]: unknown;
            } | null;
            rollout_percentage?: unknown;
            tags?: string[] | null;
            version?: number;
        };
        /** FeatureFlagPut */
        FeatureFlagPut: {
            active?: boolean;
            bucketing_identifier?: ("distinct_id" | "device_id") | null;
            deleted?: boolean;
            ensure_experience_continuity?: boolean | null;
            evaluation_contexts?: string[] | null;
            evaluation_runtime?: ("all" | "client" | "server") | null;
            evaluation_tags?: string[] | null;
            filters?: components["schemas"]["FlagFilters"];
            has_encrypted_payloads?: boolean | null;
            is_remote_configuration?: boolean | null;
            key: string;
            name?: string;
            original_flag?: {
                [key: string]: unknown;
            } | null;
            rollout_percentage?: unknown;
            tags?: string[] | null;
            version?: number;
        };
        /** FlagDefinitions */
        FlagDefinitions: {
            cohorts: {
                [key: string]: Record<string, never>;
            };
            flags: Record<string, never>[];
            group_type_mapping: {
                [key: string]: string;
            };
            minimal_flag_called_events: boolean;
            property_matching_version: number;
        };
        /** FlagEvaluation */
        FlagEvaluation: {
            active: boolean;
            condition_sets: {
                bucket: number | null;
                index: number;
                matches: boolean | null;
                reason: string;
            }[];
            id: number;
            key: string;
            reason: {
                code: string;
                condition_index: number | null;
                description: string;
            };
            value: boolean | string;
            version: number;
        };
        /** FlagEvaluationOf */
        FlagEvaluationOf: {
            distinct_id?: string;
            filters?: {
                [key: string]: unknown;
            };
            flag: number | string;
            group_properties?: {
                [key: string]: {
                    [key: string]: unknown;
                };
            };
            groups?: {
                [key: string]: string;
            };
            person_properties?: {
                [key: string]: unknown;
            };
        };
        /** FlagFilters */
        FlagFilters: {
            aggregation_group_type_index?: number | null;
            early_exit?: boolean | null;
            feature_enrollment?: boolean | null;
            groups?: {
                aggregation_group_type_index?: number | null;
                description?: string | null;
                properties?: {
                    bytecode?: unknown;
                    cohort_name?: unknown;
                    conditionHash?: unknown;
                    dependency_chain?: unknown;
                    group_key_names?: unknown;
                    group_type_index?: number | null;
                    key: string | number;
                    label?: unknown;
                    negation?: boolean | null;
                    operator?: string | null;
                    type?: string | null;
                    value?: unknown;
                }[] | null;
                rollout_percentage?: number | null;
                sort_key?: unknown;
                users_affected?: unknown;
                variant?: string | null;
            }[];
            holdout?: {
                exclusion_percentage: number;
                id: number;
            } | null;
            holdout_groups?: {
                aggregation_group_type_index?: number | null;
                description?: string | null;
                properties?: {
                    bytecode?: unknown;
                    cohort_name?: unknown;
                    conditionHash?: unknown;
                    dependency_chain?: unknown;
                    group_key_names?: unknown;
                    group_type_index?: number | null;
                    key: string | number;
                    label?: unknown;
                    negation?: boolean | null;
                    operator?: string | null;
                    type?: string | null;
                    value?: unknown;
                }[] | null;
                rollout_percentage?: number | null;
                sort_key?: unknown;
                users_affected?: unknown;
                variant?: string | null;
            }[] | null;
            multivariate?: {
                variants?: {
                    key: string;
                    name?: string | null;
                    rollout_percentage: number;
                }[];
            } | null;
            payloads?: {
                [key: string]: unknown;
            } | null;
            super_groups?: {
                aggregation_group_type_index?: number | null;
                description?: string | null;
                properties?: {
                    bytecode?: unknown;
                    cohort_name?: unknown;
                    conditionHash?: unknown;
                    dependency_chain?: unknown;
                    group_key_names?: unknown;
                    group_type_index?: number | null;
                    key: string | number;
                    label?: unknown;
                    negation?: boolean | null;
                    operator?: string | null;
                    type?: string | null;
                    value?: unknown;
                }[] | null;
                rollout_percentage?: number | null;
                sort_key?: unknown;
                users_affected?: unknown;
                variant?: string | null;
            }[] | null;
        };
        /** FlagRequests */
        FlagRequests: {
            /** Format: date */
            day: string;
            key: string;
            key_id: string | null;
            /** @enum {string} */
            kind: "decide" | "definitions" | "ofrep";
            requests: number;
            sdk: string;
        };
        /** FlagUsage */
        FlagUsage: {
            calls: number;
            /** Format: date */
            day: string;
            key: string;
            persons: number;
            variant: (string | boolean) | null;
        };
        /** ForeignDelivery */
        ForeignDelivery: {
            bytes: number;
            /** Format: date-time */
            data_interval_end: string;
            /** Format: date-time */
            data_interval_start: string;
            epoch: number;
            /** Format: date-time */
            found_at: string;
            /** Format: uuid */
            id: string;
            interrupted: boolean;
            location: string;
            rows: number;
            run_id: string | null;
            timeline: string | null;
        };
        /** GivenInsight */
        GivenInsight: {
            dashboards?: number[] | null;
            deleted?: boolean;
            derived_name?: string | null;
            description?: string | null;
            favorited?: boolean;
            filters?: unknown;
            name?: string | null;
            query?: unknown;
            saved?: boolean;
            tags?: string[] | null;
        };
        /** GivenTile */
        GivenTile: {
            button_tile?: {
                id?: string | null;
                /** @enum {string} */
                placement?: "left" | "right";
                /** @enum {string} */
                style?: "primary" | "secondary";
                text?: string;
                url?: string;
            } | null;
            color?: string | null;
            deleted?: boolean | null;
            filters_overrides?: {
                [key: string]: unknown;
            } | null;
            id?: number | null;
            insight?: unknown;
            layouts?: {
                [key: string]: unknown;
            } | null;
            show_description?: boolean | null;
            text?: {
                body?: string | null;
                created_by?: {
                    id?: number | null;
                } | null;
                id?: number | null;
            } | null;
            transparent_background?: boolean | null;
        };
        /** Group */
        Group: {
            /** Format: date-time */
            created_at: string;
            group_key: string;
            group_properties: {
                [key: string]: unknown;
            };
            group_type_index: number;
        };
        /** GroupType */
        GroupType: {
            group_type: string;
            group_type_index: number;
            name_plural: string | null;
            name_singular: string | null;
        };
        /** Holdout */
        Holdout: {
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"] | null;
            description: string;
            filters: {
                properties: unknown[];
                rollout_percentage: number;
                variant: string;
            }[];
            id: number;
            name: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** HoldoutPatch */
        HoldoutPatch: {
            description?: string | null;
            filters?: {
                properties?: unknown[] | null;
                rollout_percentage: number;
                variant?: string | null;
            }[];
            name?: string;
        };
        /** IngestionWarning */
        IngestionWarning: {
            code: string;
            count: number;
            examples: {
                detail: string;
                distinct_id?: string;
                event_uuid?: string;
                /** Format: date-time */
                seen_at: string;
            }[];
            /** Format: date-time */
            last_seen: string;
        };
        /** Insight */
        Insight: {
            alerts: unknown[];
            cache_target_age: string | null;
            columns: string[] | null;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"] | null;
            dashboard_tiles: {
                dashboard_id: number;
                deleted: boolean;
                id: number;
            }[];
            dashboards: number[];
            deleted: boolean;
            derived_name: string | null;
            description: string;
            effective_privilege_level: number;
            effective_restriction_level: number;
            error: {
                message: string;
                /** @enum {string} */
                type: "validation_error" | "permission_denied" | "timeout" | "server_error" | "too_large";
            } | null;
            favorited: boolean;
            filters: Record<string, never>;
            filters_hash: string | null;
            hasMore: boolean;
            hogql: null;
            id: number;
            is_cached: boolean;
            is_sample: boolean;
            /** Format: date-time */
            last_modified_at: string;
            last_modified_by: components["schemas"]["User"] | null;
            last_refresh: string | null;
            last_viewed_at: null;
            name: string | null;
            next_allowed_client_refresh: string | null;
            order: null;
            query: {
                [key: string]: unknown;
            } | null;
            query_status: {
                complete: boolean;
                error: boolean;
                error_message: string | null;
                id: string;
                query_async: boolean;
                team_id: number;
            } | null;
            resolved_date_range: {
                date_from: string | null;
                date_to: string | null;
            } | null;
            result: unknown;
            saved: boolean;
            short_id: string;
            tags: string[];
            timezone: string | null;
            types: unknown[] | null;
            /** Format: date-time */
            updated_at: string;
            user_access_level: ("none" | "viewer" | "editor" | "manager") | null;
        };
        /** InsightRun */
        InsightRun: {
            cache_target_age: string | null;
            columns: string[] | null;
            error: {
                message: string;
                /** @enum {string} */
                type: "validation_error" | "permission_denied" | "timeout" | "server_error" | "too_large";
            } | null;
            filters_hash: string | null;
            hasMore: boolean;
            id: number;
            insight: {
                derived_name: string | null;
                description: string;
                id: number;
                name: string | null;
                short_id: string;
            };
            is_cached: boolean;
            last_refresh: string | null;
            next_allowed_client_refresh: string | null;
            order: number;
            query_status: {
                complete: boolean;
                error: boolean;
                error_message: string | null;
                id: string;
                query_async: boolean;
                team_id: number;
            } | null;
            resolved_date_range: {
                date_from: string | null;
                date_to: string | null;
            } | null;
            result: unknown;
            timezone: string | null;
            types: unknown[] | null;
        };
        /** Instance */
        Instance: {
            deliveries: {
                blocked: boolean;
                reason: string | null;
            };
            links: {
                /** Format: uri */
                api: string;
                /** Format: uri */
                api_schema: string;
                /** Format: uri */
                readiness: string;
            };
            mail: {
                configured: boolean;
            };
            temporal: {
                namespace: string;
                ui_url: string | null;
            };
            version: string;
        };
        /** Integration */
        Integration: {
            config: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
            id: number;
            kind: string;
        };
        /** IntegrationPatch */
        IntegrationPatch: {
            config: {
                [key: string]: unknown;
            };
        };
        /** IntervalMap */
        IntervalMap: {
            boundaries: {
                count: number;
                /** Format: date-time */
                start: string;
                step_seconds: number;
            }[];
            bucket: string | null;
            counts: {
                [key: string]: number;
            };
            history_start: string | null;
            intervals: number;
            lengths: number[];
            missed_while_paused: components["schemas"]["MissedIntervals"] | null;
            needs_you: {
                /** Format: date-time */
                data_interval_end: string;
                /** Format: date-time */
                data_interval_start: string;
                detail: string | null;
                error: components["schemas"]["BatchExportError"] | null;
                /** @enum {string} */
                reason: "delivered_elsewhere" | "unsettled" | "gave_up" | "would_shrink" | "failed" | "not_retried";
                run_id: string | null;
            }[];
            retrying: {
                /** Format: date-time */
                data_interval_end: string;
                /** Format: date-time */
                data_interval_start: string;
                detail: string | null;
                error: components["schemas"]["BatchExportError"] | null;
                next_try_at: string | null;
                run_id: string | null;
            }[];
            states: ("--" | "hi" | "xi" | "ni" | "si" | "np" | "hw" | "nw" | "sw" | "hr" | "nr" | "sr" | "ht" | "nt" | "st" | "hy" | "ny" | "sy")[];
        };
        /** LastError */
        LastError: {
            /** Format: date-time */
            data_interval_end: string;
            /** Format: date-time */
            data_interval_start: string;
            detail: string | null;
            error: components["schemas"]["BatchExportError"] | null;
            reason: ("delivered_elsewhere" | "unsettled" | "gave_up" | "would_shrink" | "failed" | "not_retried") | null;
            run_id: string | null;
        };
        /** LinkedFlag */
        LinkedFlag: {
            active: boolean;
            deleted: boolean;
            ensure_experience_continuity: boolean;
            filters: {
                [key: string]: unknown;
            };
            has_encrypted_payloads: boolean;
            id: number;
            key: string;
            name: string;
            team_id: number;
            version: number;
        };
        /** ListedDashboard */
        ListedDashboard: {
            /** @enum {string} */
            access_control_version: "v1" | "v2";
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"] | null;
            /** @enum {string} */
            creation_mode: "default" | "template" | "duplicate" | "unlisted";
            deleted: boolean;
            description: string;
            effective_privilege_level: number;
            effective_restriction_level: number;
            id: number;
            is_shared: boolean;
            name: string | null;
            pinned: boolean;
            restriction_level: number;
            /** @enum {string} */
            search_match_type?: "exact" | "similar";
            tags: string[];
            user_access_level: ("none" | "viewer" | "editor" | "manager") | null;
        };
        /** LogEntry */
        LogEntry: {
            attempt: number | null;
            id: string;
            instance_id: string | null;
            /** @enum {string} */
            level: "DEBUG" | "INFO" | "WARNING" | "ERROR";
            /** Format: uuid */
            log_source_id: string;
            message: string;
            run: string | null;
            /** Format: date-time */
            timestamp: string;
        };
        /** Login */
        Login: {
            email: string;
            password: string;
        };
        /** LoginByLink */
        LoginByLink: {
            token: string;
        };
        /** Me */
        Me: {
            active_realtime_notification_types: unknown;
            allow_impersonation: unknown;
            allow_sidebar_suggestions: unknown;
            anonymize_data: unknown;
            /** Format: date-time */
            date_joined: string;
            distinct_id: string;
            email: string;
            events_column_config: unknown;
            first_name: string;
            fresh_reauth_expires_at: string | null;
            has_password: boolean;
            has_seen_product_intro_for: unknown;
            has_social_auth: unknown;
            has_sso_enforcement: unknown;
            hedgehog_config: {
                [key: string]: unknown;
            };
            hide_mcp_hints: unknown;
            id: number;
            is_2fa_enabled: unknown;
            is_email_verified: boolean;
            is_impersonated: unknown;
            is_impersonated_read_only: unknown;
            is_impersonated_reason: unknown;
            is_impersonated_until: unknown;
            is_organization_first_user: unknown;
            is_staff: unknown;
            last_name: string;
            notification_locks: unknown;
            notification_settings: unknown;
            organization: {
                allow_publicly_shared_resources: boolean;
                available_product_features: unknown[];
                /** Format: date-time */
                created_at: string;
                /** @constant */
                enforce_2fa: false;
                /** Format: uuid */
                id: string;
                /** @constant */
                is_active: true;
                is_not_active_reason: null;
                /** @constant */
                is_pending_deletion: false;
                logo_media_id: null;
                members_can_invite: boolean;
                members_can_use_personal_api_keys: boolean;
                membership_level: 1 | 8 | 15;
                name: string;
                projects: {
                    id: number;
                    name: string;
                }[];
                slug: string;
                teams: components["schemas"]["Project"][];
                /** Format: date-time */
                updated_at: string;
            } | null;
            organizations: components["schemas"]["OrganizationStub"][];
            passkeys_enabled_for_2fa: unknown;
            pending_email: unknown;
            pending_invites: {
                /** Format: date-time */
                created_at: string;
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                organization_id: string;
                organization_name: string;
                target_email: string;
            }[];
            projects: {
                id: number;
                name: string;
                /** Format: uuid */
                organization: string;
            }[];
            requires_credential_review: unknown;
            role_at_organization: string;
            scene_personalisation: unknown;
            sensitive_session_expires_at: string | null;
            shortcut_position: unknown;
            team: components["schemas"]["Project"] | null;
            theme_mode: ("light" | "dark" | "system") | null;
            toolbar_mode: unknown;
            ui_configuration: unknown;
            /** Format: uuid */
            uuid: string;
        };
        /** MePatch */
        MePatch: {
            current_password?: string;
            first_name?: string;
            hedgehog_config?: {
                [key: string]: unknown;
            } | null;
            last_name?: string;
            password?: string;
            role_at_organization?: ("" | "engineering" | "data" | "product" | "founder" | "leadership" | "marketing" | "sales" | "other") | null;
            /** Format: uuid */
            set_current_organization?: string;
            set_current_team?: number;
            theme_mode?: ("light" | "dark" | "system") | null;
        };
        /** MetricResult */
        MetricResult: {
            /** @enum {string} */
            goal: "increase" | "decrease";
            /** @enum {string} */
            kind: "conversion" | "count" | "sum";
            name: string | null;
            uuid: string;
            variants: {
                chance_to_win: number | null;
                credible_interval: number[] | null;
                key: string;
                lift: {
                    credible_interval: number[] | null;
                    significant: boolean;
                    value: number;
                } | null;
                mean: number | null;
                number_of_samples: number;
                sum: number;
                sum_squares: number;
            }[];
        };
        /** MissedIntervals */
        MissedIntervals: {
            /** Format: date-time */
            end_at: string;
            intervals: number;
            /** Format: date-time */
            start_at: string;
        };
        /** MovedTile */
        MovedTile: {
            tile: {
                id: number;
            };
            to_dashboard?: number;
            toDashboard?: number;
        };
        /** NewBackfill */
        NewBackfill: {
            dry_run?: boolean;
            end_at: string | null;
            only?: unknown;
            plan?: string;
            start_at: string | null;
        };
        /** NewBatchExport */
        NewBatchExport: {
            destination: {
                config?: {
                    [key: string]: unknown;
                } | null;
                integration?: number | null;
                integration_id?: number | null;
                type: string;
            };
            end_at?: string | null;
            exclude_columns?: string[] | null;
            filters?: unknown;
            freshness_target_seconds?: number | null;
            hash_key?: string;
            hogql_query?: string | null;
            include_columns?: string[] | null;
            interval: string;
            jitter_seconds?: number | null;
            max_concurrent_runs?: number;
            /** @enum {string} */
            model?: "events" | "persons" | "sessions";
            name: string;
            notifications?: components["schemas"]["NotificationsIn"] | null;
            offset_day?: number | null;
            offset_hour?: number | null;
            paused?: boolean;
            redeliver_stale?: boolean;
            start_at?: string | null;
            timezone?: string | null;
            transformations?: components["schemas"]["Transformation"][] | null;
        };
        /** NewBatchExportPreview */
        NewBatchExportPreview: {
            data_interval_end?: string;
            data_interval_start?: string;
            destination: {
                config?: {
                    [key: string]: unknown;
                } | null;
                integration?: number | null;
                integration_id?: number | null;
                type: string;
            };
            end_at?: string | null;
            exclude_columns?: string[] | null;
            filters?: unknown;
            freshness_target_seconds?: number | null;
            hash_key?: string;
            hogql_query?: string | null;
            include_columns?: string[] | null;
            interval: string;
            jitter_seconds?: number | null;
            max_concurrent_runs?: number;
            /** @enum {string} */
            model?: "events" | "persons" | "sessions";
            name: string;
            notifications?: components["schemas"]["NotificationsIn"] | null;
            offset_day?: number | null;
            offset_hour?: number | null;
            paused?: boolean;
            redeliver_stale?: boolean;
            start_at?: string | null;
            timezone?: string | null;
            transformations?: components["schemas"]["Transformation"][] | null;
        };
        /** NewCohort */
        NewCohort: {
            _create_static_person_ids?: string[];
            description?: string;
            filters?: {
                [key: string]: unknown;
            } | null;
            groups?: {
                [key: string]: unknown;
            }[];
            is_static?: boolean;
            name: string;
        };
        /** NewCollaborator */
        NewCollaborator: {
            /** @enum {unknown} */
            level: 21 | 37;
            /** Format: uuid */
            user_uuid: string;
        };
        /** NewDashboard */
        NewDashboard: {
            breakdown_colors?: unknown[] | null;
            data_color_theme_id?: number | null;
            delete_insights?: boolean;
            deleted?: boolean;
            description?: string;
            duplicate_tiles?: boolean;
            filters?: unknown;
            last_accessed_at?: string | null;
            name?: string | null;
            pinned?: boolean;
            quick_filter_ids?: string[] | null;
            /** @enum {unknown} */
            restriction_level?: 21 | 37;
            tags?: string[] | null;
            tiles?: components["schemas"]["GivenTile"][];
            use_dashboard?: number | null;
            use_template?: string | null;
            variables?: unknown;
        };
        /** NewEarlyAccessFeature */
        NewEarlyAccessFeature: {
            description?: string;
            documentation_url?: string;
            feature_flag_id?: number | null;
            name: string;
            payload?: {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            stage: "draft" | "concept" | "alpha" | "beta" | "general-availability" | "archived";
        };
        /** NewExperiment */
        NewExperiment: {
            archived?: boolean;
            description?: string | null;
            end_date?: string | null;
            exposure_criteria?: {
                exposure_config?: {
                    /** @constant */
                    event: "$feature_flag_called";
                } | null;
                filterTestAccounts?: boolean | null;
                multiple_variant_handling?: ("exclude" | "first_seen") | null;
            } | null;
            feature_flag_key: string;
            filters?: {
                [key: string]: unknown;
            } | null;
            holdout_id?: number | null;
            metrics?: unknown;
            metrics_secondary?: unknown;
            name: string;
            parameters?: {
                aggregation_group_type_index?: number | null;
                feature_flag_variants?: {
                    key: string;
                    name?: string | null;
                    rollout_percentage: number;
                }[] | null;
                rollout_percentage?: number | null;
            } | null;
            saved_metrics_ids?: unknown[] | null;
            start_date?: string | null;
            type?: ("product" | "web") | null;
        };
        /** NewFeatureFlag */
        NewFeatureFlag: {
            active?: boolean;
            bucketing_identifier?: ("distinct_id" | "device_id") | null;
            ensure_experience_continuity?: boolean | null;
            evaluation_contexts?: string[] | null;
            evaluation_runtime?: ("all" | "client" | "server") | null;
            evaluation_tags?: string[] | null;
            filters?: components["schemas"]["FlagFilters"];
            has_encrypted_payloads?: boolean | null;
            is_remote_configuration?: boolean | null;
            key: string;
            name?: string;
            rollout_percentage?: unknown;
            tags?: string[] | null;
        };
        /** NewGroup */
        NewGroup: {
            group_key: string;
            group_properties?: {
                [key: string]: unknown;
            };
            group_type_index: number;
        };
        /** NewHoldout */
        NewHoldout: {
            description?: string | null;
            filters: {
                properties?: unknown[] | null;
                rollout_percentage: number;
                variant?: string | null;
            }[];
            name: string;
        };
        /** NewIntegration */
        NewIntegration: {
            config: {
                [key: string]: unknown;
            };
            kind: string;
        };
        /** NewPause */
        NewPause: {
            reason?: string | null;
            resume_at?: string | null;
        };
        /** NewPersonalApiKey */
        NewPersonalApiKey: {
            description?: string | null;
            expires_at?: string | null;
            label: string;
            scoped_organizations: string[];
            scoped_teams: number[];
            scopes: string[];
        };
        /** NewProjectSecretApiKey */
        NewProjectSecretApiKey: {
            description?: string | null;
            expires_at?: string | null;
            label: string;
            scopes: string[];
        };
        /** NewSharePassword */
        NewSharePassword: {
            note?: string | null;
            raw_password?: string | null;
        };
        /** NewSurvey */
        NewSurvey: {
            appearance?: components["schemas"]["SurveyAppearance"] | null;
            archived?: boolean;
            conditions?: components["schemas"]["SurveyConditions"] | null;
            description?: string;
            enable_partial_responses?: boolean | null;
            end_date?: string | null;
            iteration_count?: number | null;
            iteration_frequency_days?: number | null;
            linked_flag_id?: number | null;
            name: string;
            questions?: components["schemas"]["SurveyQuestion"][] | null;
            response_sampling_interval?: number | null;
            response_sampling_interval_type?: ("day" | "week" | "month") | null;
            response_sampling_limit?: number | null;
            response_sampling_start_date?: string | null;
            responses_limit?: number | null;
            schedule?: ("once" | "recurring" | "always") | null;
            start_date?: string | null;
            targeting_flag_filters?: {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            type: "popover" | "api" | "widget" | "external_survey";
        };
        /** NewTestStep */
        NewTestStep: {
            destination: {
                config?: {
                    [key: string]: unknown;
                } | null;
                integration?: number | null;
                integration_id?: number | null;
                type: string;
            };
            end_at?: string | null;
            exclude_columns?: string[] | null;
            filters?: unknown;
            freshness_target_seconds?: number | null;
            hash_key?: string;
            hogql_query?: string | null;
            include_columns?: string[] | null;
            interval: string;
            jitter_seconds?: number | null;
            max_concurrent_runs?: number;
            /** @enum {string} */
            model?: "events" | "persons" | "sessions";
            name: string;
            notifications?: components["schemas"]["NotificationsIn"] | null;
            offset_day?: number | null;
            offset_hour?: number | null;
            paused?: boolean;
            redeliver_stale?: boolean;
            start_at?: string | null;
            step?: number;
            timezone?: string | null;
            transformations?: components["schemas"]["Transformation"][] | null;
        };
        /** Notifications */
        Notifications: {
            emails: string[];
            on: ("failed" | "recovered" | "paused" | "behind_schedule" | "gave_up" | "stale" | "overlapping" | "schedule_changed" | "keeping_files" | "source_expiring")[];
            webhook: {
                url: string;
            } | null;
        };
        /** NotificationsIn */
        NotificationsIn: {
            emails?: string[];
            on?: ("failed" | "recovered" | "paused" | "behind_schedule" | "gave_up" | "stale" | "overlapping" | "schedule_changed" | "keeping_files" | "source_expiring")[];
            webhook?: {
                secret?: string;
                url: string;
            } | null;
        };
        /** Organization */
        Organization: {
            allow_publicly_shared_resources: boolean;
            available_product_features: unknown[];
            /** Format: date-time */
            created_at: string;
            /** @constant */
            enforce_2fa: false;
            /** Format: uuid */
            id: string;
            /** @constant */
            is_active: true;
            is_not_active_reason: null;
            /** @constant */
            is_pending_deletion: false;
            logo_media_id: null;
            members_can_invite: boolean;
            members_can_use_personal_api_keys: boolean;
            membership_level: 1 | 8 | 15;
            name: string;
            slug: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** OrganizationCreate */
        OrganizationCreate: {
            name: string;
        };
        /** OrganizationInvite */
        OrganizationInvite: {
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"] | null;
            emailing_attempt_made: boolean;
            /** Format: date-time */
            expires_at: string;
            first_name: string;
            /** Format: uuid */
            id: string;
            /** @constant */
            is_expired: false;
            level: 1 | 8 | 15;
            link: string | null;
            message: string;
            target_email: string;
        };
        /** OrganizationInviteIn */
        OrganizationInviteIn: {
            first_name?: string;
            level?: 1 | 8 | 15;
            message?: string;
            /** Format: email */
            target_email: string;
        };
        /** OrganizationMember */
        OrganizationMember: {
            /** @constant */
            has_social_auth: false;
            /** Format: uuid */
            id: string;
            /** @constant */
            is_2fa_enabled: false;
            /** Format: date-time */
            joined_at: string;
            level: 1 | 8 | 15;
            /** Format: date-time */
            updated_at: string;
            user: components["schemas"]["User"];
        };
        /** OrganizationMemberPatch */
        OrganizationMemberPatch: {
            level: 1 | 8 | 15;
        };
        /** OrganizationPatch */
        OrganizationPatch: {
            allow_publicly_shared_resources?: boolean;
            members_can_invite?: boolean;
            members_can_use_personal_api_keys?: boolean;
            name?: string;
        };
        /** OrganizationStub */
        OrganizationStub: {
            /** Format: uuid */
            id: string;
            /** @constant */
            is_active: true;
            is_not_active_reason: null;
            /** @constant */
            is_pending_deletion: false;
            logo_media_id: null;
            members_can_use_personal_api_keys: boolean;
            membership_level: 1 | 8 | 15;
            name: string;
            slug: string;
        };
        /** OutdatedPlan */
        OutdatedPlan: {
            attr: string | null;
            code: string;
            detail: string;
            plan: components["schemas"]["BackfillPreview"];
            /** @enum {string} */
            type: "validation_error" | "authentication_error" | "invalid_request" | "throttled_error" | "quota_limited" | "server_error";
        };
        /** Pause */
        Pause: {
            at: string | null;
            by: {
                /** @enum {string} */
                kind: "user" | "project_key" | "sluice" | "temporal";
                user: {
                    email: string;
                    first_name: string;
                    id: number;
                    last_name: string;
                    /** Format: uuid */
                    uuid: string;
                } | null;
            } | null;
            reason: string | null;
            resume_at: string | null;
        };
        /** Person */
        Person: {
            /** Format: date-time */
            created_at: string;
            distinct_id_count: number;
            distinct_ids: string[];
            /** Format: uuid */
            id: string;
            is_identified: boolean;
            name: string;
            properties: {
                [key: string]: unknown;
            };
            /** Format: uuid */
            uuid: string;
        };
        /** PersonalApiKey */
        PersonalApiKey: {
            /** Format: date-time */
            created_at: string;
            description: string | null;
            expires_at: string | null;
            /** Format: uuid */
            id: string;
            label: string;
            last_rolled_at: string | null;
            last_used_at: string | null;
            mask_value: string;
            scoped_organizations: string[];
            scoped_teams: number[];
            scopes: string[];
            user_id: number | null;
            value: string | null;
        };
        /** PersonalApiKeyPatch */
        PersonalApiKeyPatch: {
            description?: string | null;
            expires_at?: string | null;
            label?: string;
            scoped_organizations?: string[];
            scoped_teams?: number[];
            scopes?: string[];
        };
        /** Project */
        Project: {
            access_control: boolean;
            anonymize_ips: boolean;
            api_token: string;
            completed_snippet_onboarding: boolean;
            cookieless_server_hash_mode: 0 | 1;
            /** Format: date-time */
            created_at: string;
            event_retention_days: number | null;
            flag_requests_per_month: number | null;
            has_completed_onboarding_for: Record<string, never>;
            historical_from_project_key: boolean;
            id: number;
            ingested_event: boolean;
            is_demo: boolean;
            name: string;
            /** Format: uuid */
            organization: string;
            project_id: number;
            property_matching_version: 1 | 2;
            timezone: string;
            /** Format: uuid */
            uuid: string;
        };
        /** ProjectCreate */
        ProjectCreate: {
            anonymize_ips?: boolean;
            cookieless_server_hash_mode?: 0 | 1;
            event_retention_days?: number | null;
            flag_requests_per_month?: number | null;
            historical_from_project_key?: boolean;
            name?: string;
            property_matching_version?: 1 | 2;
            timezone?: string;
        };
        /** ProjectPatch */
        ProjectPatch: {
            anonymize_ips?: boolean;
            cookieless_server_hash_mode?: 0 | 1;
            event_retention_days?: number | null;
            flag_requests_per_month?: number | null;
            historical_from_project_key?: boolean;
            name?: string;
            property_matching_version?: 1 | 2;
            timezone?: string;
        };
        /** ProjectSecretApiKey */
        ProjectSecretApiKey: {
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"] | null;
            description: string | null;
            expires_at: string | null;
            /** Format: uuid */
            id: string;
            label: string;
            last_rolled_at: string | null;
            last_used_at: string | null;
            mask_value: string;
            scopes: string[];
            value: string | null;
        };
        /** ProjectSecretApiKeyPatch */
        ProjectSecretApiKeyPatch: {
            description?: string | null;
            expires_at?: string | null;
            label?: string;
            scopes?: string[];
        };
        /** ProjectStorage */
        ProjectStorage: {
            bytes: number;
            tables: {
                bytes: number | null;
                oldest: string | null;
                rows: number;
                rows_are_estimated: boolean;
                table: string;
            }[];
        };
        /** PublishedEarlyAccessFeature */
        PublishedEarlyAccessFeature: {
            description: string;
            documentationUrl: string;
            flagKey: string;
            /** Format: uuid */
            id: string;
            name: string;
            payload: {
                [key: string]: unknown;
            };
            stage: string;
        };
        /** PublishedSurvey */
        PublishedSurvey: {
            appearance: components["schemas"]["SurveyAppearance"] | null;
            conditions: components["schemas"]["SurveyConditions"] | null;
            current_iteration: number | null;
            current_iteration_start_date: string | null;
            description: string;
            enable_partial_responses: boolean | null;
            end_date: string | null;
            /** Format: uuid */
            id: string;
            internal_targeting_flag_key: string | null;
            linked_flag_key: string | null;
            name: string;
            questions: components["schemas"]["SurveyQuestion"][] | null;
            schedule: string | null;
            start_date: string | null;
            targeting_flag_key: string | null;
            type: string;
        };
        /** QueryAnswer */
        QueryAnswer: {
            columns?: string[];
            hasMore?: boolean;
            is_cached: boolean;
            /** Format: date-time */
            last_refresh: string;
            limit?: number;
            offset?: number;
            resolved_compare_date_range?: {
                /** Format: date-time */
                date_from: string;
                /** Format: date-time */
                date_to: string;
            };
            resolved_date_range: {
                /** Format: date-time */
                date_from: string;
                /** Format: date-time */
                date_to: string;
            };
            results: unknown[];
            timezone: string;
            types?: string[];
        };
        /** QueryRequest */
        QueryRequest: {
            filters_override?: {
                [key: string]: unknown;
            };
            query: unknown;
        };
        /** Reset */
        Reset: {
            email: string;
        };
        /** ResetCompleted */
        ResetCompleted: {
            email: string;
            /** @constant */
            success: true;
        };
        /** ResetCompletion */
        ResetCompletion: {
            password: string;
        };
        /** ResetRequest */
        ResetRequest: {
            /** Format: email */
            email: string;
        };
        /** Resets */
        Resets: {
            available: boolean;
        };
        /** ResourceAccessControlPut */
        ResourceAccessControlPut: {
            access_level: string | null;
            organization_member?: string | null;
            resource: string;
            role?: string | null;
        };
        /** Role */
        Role: {
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"] | null;
            /** Format: uuid */
            id: string;
            /** @constant */
            is_default: false;
            members: components["schemas"]["RoleMembership"][];
            name: string;
        };
        /** RoleIn */
        RoleIn: {
            name: string;
        };
        /** RoleMembership */
        RoleMembership: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            joined_at: string;
            /** Format: uuid */
            organization_member: string;
            /** Format: uuid */
            role_id: string;
            user: components["schemas"]["User"];
            /** Format: uuid */
            user_uuid: string;
        };
        /** RoleMembershipIn */
        RoleMembershipIn: {
            /** Format: uuid */
            user_uuid: string;
        };
        /** RolePatch */
        RolePatch: {
            name?: string;
        };
        /** RunAttempt */
        RunAttempt: {
            attempt: number;
            error: components["schemas"]["BatchExportError"] | null;
            finished_at: string | null;
            /** Format: date-time */
            started_at: string;
            /** @enum {string} */
            step: "plan" | "stage" | "commit" | "verify";
        };
        /** RunAttempts */
        RunAttempts: {
            results: components["schemas"]["RunAttempt"][];
        };
        /** RunDiagnosis */
        RunDiagnosis: {
            cause: components["schemas"]["BatchExportError"] | null;
            changes: components["schemas"]["DiagnosedChange"][];
            last_success: {
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                data_interval_end: string;
                /** Format: date-time */
                data_interval_start: string;
                finished_at: string | null;
                /** Format: uuid */
                run: string;
            } | null;
            later_run: {
                /** Format: uuid */
                run: string;
                /** @enum {string} */
                status: "Starting" | "Running" | "Completed" | "Failed" | "FailedRetryable" | "Cancelled" | "Terminated" | "TimedOut" | "ContinuedAsNew";
            } | null;
            more_changes: boolean;
            next_try_at: string | null;
            owner: ("you" | "destination" | "sluice") | null;
            /** Format: uuid */
            run: string;
            /** @enum {string} */
            status: "Starting" | "Running" | "Completed" | "Failed" | "FailedRetryable" | "Cancelled" | "Terminated" | "TimedOut" | "ContinuedAsNew";
            waits_for: string | null;
        };
        /** RunProgress */
        RunProgress: {
            bytes: number;
            parts: {
                staged: number;
                total: number | null;
            };
            records: {
                done: number;
                total: number | null;
            };
            updated_at: string | null;
        };
        /** SchedulePreview */
        SchedulePreview: {
            runs: {
                clock_change_seconds: number;
                /** Format: date-time */
                data_interval_end: string;
                /** Format: date-time */
                data_interval_start: string;
                local_end: string;
                local_start: string;
            }[];
            timezone: string;
        };
        /** SchedulePreviewRequest */
        SchedulePreviewRequest: {
            count?: number;
            end_at?: string | null;
            interval: string;
            jitter_seconds?: number | null;
            offset_day?: number | null;
            offset_hour?: number | null;
            start_at?: string | null;
            timezone?: string | null;
        };
        /** Session */
        Session: {
            /** Format: date-time */
            authenticated_at: string;
            /** Format: date-time */
            created_at: string;
            device: string | null;
            /** Format: date-time */
            expires_at: string;
            /** Format: uuid */
            id: string;
            is_current: boolean;
            /** Format: date-time */
            last_seen_at: string;
            network: string | null;
        };
        /** SharePassword */
        SharePassword: {
            /** Format: date-time */
            created_at: string;
            created_by_email: string | null;
            id: number;
            note: string | null;
            password: string;
        };
        /** ShareSettings */
        ShareSettings: {
            detailed?: boolean;
            hideExtraDetails?: boolean;
            legend?: boolean;
            noHeader?: boolean;
            showInspector?: boolean;
            /** @enum {string} */
            theme?: "light" | "dark" | "system";
            whitelabel?: boolean;
        };
        /** SharingConfiguration */
        SharingConfiguration: {
            access_token: string;
            /** Format: date-time */
            created_at: string;
            enabled: boolean;
            expires_at: string | null;
            password_required: boolean;
            settings: components["schemas"]["ShareSettings"] | null;
            share_passwords: {
                /** Format: date-time */
                created_at: string;
                created_by_email: string | null;
                id: number;
                is_active: boolean;
                note: string | null;
            }[];
            /** @enum {string} */
            user_access_level: "none" | "viewer" | "editor" | "manager";
        };
        /** SharingError */
        SharingError: {
            error: string;
        };
        /** Signup */
        Signup: {
            first_name?: string;
            last_name?: string;
            password?: string;
            /** @enum {string} */
            role_at_organization?: "" | "engineering" | "data" | "product" | "founder" | "leadership" | "marketing" | "sales" | "other";
        };
        /** SignupInvite */
        SignupInvite: {
            account_exists: boolean;
            /** Format: date-time */
            expires_at: string;
            first_name: string;
            /** Format: uuid */
            id: string;
            organization_name: string;
            target_email: string;
        };
        /** Survey */
        Survey: {
            appearance: components["schemas"]["SurveyAppearance"] | null;
            archived: boolean;
            conditions: components["schemas"]["SurveyConditions"] | null;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"] | null;
            current_iteration: number | null;
            current_iteration_start_date: string | null;
            description: string;
            enable_partial_responses: boolean | null;
            end_date: string | null;
            /** Format: uuid */
            id: string;
            ignored_members?: string[];
            internal_targeting_flag: components["schemas"]["LinkedFlag"] | null;
            iteration_count: number | null;
            iteration_frequency_days: number | null;
            iteration_start_dates: string[];
            linked_flag: components["schemas"]["LinkedFlag"] | null;
            linked_flag_id: number | null;
            name: string;
            questions: components["schemas"]["SurveyQuestion"][] | null;
            response_sampling_interval: number | null;
            response_sampling_interval_type: ("day" | "week" | "month") | null;
            response_sampling_limit: number | null;
            response_sampling_start_date: string | null;
            responses_limit: number | null;
            schedule: ("once" | "recurring" | "always") | null;
            start_date: string | null;
            targeting_flag: components["schemas"]["LinkedFlag"] | null;
            /** @enum {string} */
            type: "popover" | "api" | "widget" | "external_survey";
        };
        /** SurveyAppearance */
        SurveyAppearance: {
            autoDisappear?: boolean | null;
            backgroundColor?: string | null;
            borderColor?: string | null;
            borderRadius?: string | null;
            boxPadding?: string | null;
            boxShadow?: string | null;
            disabledButtonOpacity?: string | null;
            displayThankYouMessage?: boolean | null;
            fontFamily?: string | null;
            hideCancelButton?: boolean | null;
            inputBackground?: string | null;
            inputTextColor?: string | null;
            maxWidth?: string | null;
            placeholder?: string | null;
            position?: string | null;
            ratingButtonActiveColor?: string | null;
            ratingButtonColor?: string | null;
            shuffleQuestions?: boolean | null;
            submitButtonColor?: string | null;
            submitButtonText?: string | null;
            submitButtonTextColor?: string | null;
            surveyPopupDelaySeconds?: number | null;
            tabPosition?: string | null;
            textColor?: string | null;
            textSubtleColor?: string | null;
            thankYouMessageCloseButtonText?: string | null;
            thankYouMessageDescription?: string | null;
            thankYouMessageDescriptionContentType?: ("text" | "html") | null;
            thankYouMessageHeader?: string | null;
            whiteLabel?: boolean | null;
            widgetColor?: string | null;
            widgetLabel?: string | null;
            widgetSelector?: string | null;
            widgetType?: ("button" | "tab" | "selector") | null;
            zIndex?: string | null;
        };
        /** SurveyConditions */
        SurveyConditions: {
            actions?: {
                values: {
                    [key: string]: unknown;
                }[];
            } | null;
            cancelEvents?: {
                repeatedActivation?: boolean | null;
                values: {
                    name: string;
                }[];
            } | null;
            deviceTypes?: string[] | null;
            deviceTypesMatchType?: ("exact" | "is_not" | "icontains" | "not_icontains" | "regex" | "not_regex" | "contains") | null;
            events?: {
                repeatedActivation?: boolean | null;
                values: {
                    name: string;
                }[];
            } | null;
            linkedFlagVariant?: string | null;
            seenSurveyWaitPeriodInDays?: number | null;
            selector?: string | null;
            url?: string | null;
            urlMatchType?: ("exact" | "is_not" | "icontains" | "not_icontains" | "regex" | "not_regex" | "contains") | null;
        };
        /** SurveyPatch */
        SurveyPatch: {
            appearance?: components["schemas"]["SurveyAppearance"] | null;
            archived?: boolean;
            conditions?: components["schemas"]["SurveyConditions"] | null;
            description?: string;
            enable_partial_responses?: boolean | null;
            end_date?: string | null;
            iteration_count?: number | null;
            iteration_frequency_days?: number | null;
            linked_flag_id?: number | null;
            name?: string;
            questions?: components["schemas"]["SurveyQuestion"][] | null;
            remove_targeting_flag?: boolean | null;
            response_sampling_interval?: number | null;
            response_sampling_interval_type?: ("day" | "week" | "month") | null;
            response_sampling_limit?: number | null;
            response_sampling_start_date?: string | null;
            responses_limit?: number | null;
            schedule?: ("once" | "recurring" | "always") | null;
            start_date?: string | null;
            targeting_flag_filters?: {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            type?: "popover" | "api" | "widget" | "external_survey";
        };
        /** SurveyPut */
        SurveyPut: {
            appearance?: components["schemas"]["SurveyAppearance"] | null;
            archived?: boolean;
            conditions?: components["schemas"]["SurveyConditions"] | null;
            description?: string;
            enable_partial_responses?: boolean | null;
            end_date?: string | null;
            iteration_count?: number | null;
            iteration_frequency_days?: number | null;
            linked_flag_id?: number | null;
            name: string;
            questions?: components["schemas"]["SurveyQuestion"][] | null;
            remove_targeting_flag?: boolean | null;
            response_sampling_interval?: number | null;
            response_sampling_interval_type?: ("day" | "week" | "month") | null;
            response_sampling_limit?: number | null;
            response_sampling_start_date?: string | null;
            responses_limit?: number | null;
            schedule?: ("once" | "recurring" | "always") | null;
            start_date?: string | null;
            targeting_flag_filters?: {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            type: "popover" | "api" | "widget" | "external_survey";
        };
        /** SurveyQuestion */
        SurveyQuestion: {
            branching?: {
                index?: number;
                responseValues?: {
                    [key: string]: unknown;
                };
                /** @enum {string} */
                type: "next_question" | "end" | "response_based" | "specific_question";
            } | null;
            buttonText?: string | null;
            choices?: string[];
            description?: string | null;
            /** @enum {string} */
            descriptionContentType?: "text" | "html";
            /** @enum {string} */
            display?: "number" | "emoji";
            hasOpenChoice?: boolean;
            id?: string;
            isNpsQuestion?: boolean;
            link?: string | null;
            lowerBoundLabel?: string | null;
            optional?: boolean;
            question: string;
            scale?: number;
            shuffleOptions?: boolean;
            skipSubmitButton?: boolean;
            translations?: {
                [key: string]: {
                    buttonText?: string | null;
                    choices?: string[];
                    description?: string | null;
                    link?: string | null;
                    lowerBoundLabel?: string | null;
                    question?: string;
                    upperBoundLabel?: string | null;
                };
            };
            /** @enum {string} */
            type: "open" | "link" | "rating" | "single_choice" | "multiple_choice";
            upperBoundLabel?: string | null;
        };
        /** SurveyStats */
        SurveyStats: {
            end_date: string | null;
            rates: {
                dismissal_rate: number;
                response_rate: number;
                unique_users_dismissal_rate: number;
                unique_users_response_rate: number;
            };
            start_date: string | null;
            stats: {
                [key: string]: {
                    first_seen: string | null;
                    last_seen: string | null;
                    total_count: number;
                    total_count_only_seen: number;
                    unique_persons: number;
                    unique_persons_only_seen: number;
                };
            };
            /** Format: uuid */
            survey_id: string;
        };
        /** TestedStep */
        TestedStep: {
            description: string;
            name: string;
            result: {
                message: string | null;
                /** @enum {string} */
                status: "Passed" | "Failed" | "Skipped";
            };
        };
        /** TestStep */
        TestStep: {
            destination?: {
                config?: {
                    [key: string]: unknown;
                } | null;
                integration?: number | null;
                integration_id?: number | null;
                type: string;
            };
            end_at?: string | null;
            exclude_columns?: string[] | null;
            filters?: unknown;
            freshness_target_seconds?: number | null;
            hash_key?: string;
            hogql_query?: string | null;
            include_columns?: string[] | null;
            interval?: string;
            jitter_seconds?: number | null;
            last_paused_at?: string | null;
            max_concurrent_runs?: number;
            model?: string;
            name?: string;
            notifications?: components["schemas"]["NotificationsIn"] | null;
            offset_day?: number | null;
            offset_hour?: number | null;
            paused?: boolean;
            redeliver_stale?: boolean;
            start_at?: string | null;
            step?: number;
            timezone?: string | null;
            transformations?: components["schemas"]["Transformation"][] | null;
        };
        /** TestSteps */
        TestSteps: {
            steps: {
                description: string;
                name: string;
                result: null;
            }[];
        };
        /** TileOrder */
        TileOrder: {
            /** @enum {string} */
            layout?: "preserve" | "two_column" | "full_width";
            tile_order: number[];
        };
        /** TileOrderError */
        TileOrderError: {
            detail: string;
        };
        /** Transformation */
        Transformation: {
            /** @enum {string} */
            action: "drop" | "hash";
            path: string;
        };
        /** Unpause */
        Unpause: {
            backfill?: boolean;
        };
        /** UnseenInsight */
        UnseenInsight: {
            id: number;
            short_id: string;
            /** @enum {string} */
            user_access_level: "none" | "viewer" | "editor" | "manager";
        };
        /** User */
        User: {
            distinct_id: string;
            email: string;
            first_name: string;
            hedgehog_config: {
                [key: string]: unknown;
            };
            id: number;
            is_email_verified: boolean;
            last_name: string;
            role_at_organization: string;
            /** Format: uuid */
            uuid: string;
        };
        /** UsersWithAccess */
        UsersWithAccess: {
            total_count: number;
            users: {
                /** @enum {string} */
                access_level: "none" | "viewer" | "editor" | "manager" | "member" | "admin";
                /** @enum {string} */
                access_source: "creator" | "organization_admin" | "explicit_member" | "explicit_role" | "project_admin" | "default";
                /** Format: uuid */
                organization_membership_id: string;
                /** @enum {string} */
                organization_membership_level: "member" | "admin" | "owner";
                /** Format: uuid */
                user_id: string;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    livez_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        live: true;
                    };
                };
            };
        };
    };
    readyz_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        checks: {
                            [key: string]: string;
                        };
                        ready: boolean;
                    };
                };
            };
        };
    };
    published_early_access_features_list: {
        parameters: {
            query?: {
                api_key?: string;
                stage?: string[];
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        earlyAccessFeatures: components["schemas"]["PublishedEarlyAccessFeature"][];
                    };
                };
            };
        };
    };
    environments_retrieve: {
        parameters: {
            query?: {
                token?: string;
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    environments_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProjectPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    access_controls_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessControls"];
                };
            };
        };
    };
    access_controls_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccessControlPut"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessControl"];
                };
            };
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    activity_log_list: {
        parameters: {
            query?: {
                item_id?: string;
                limit?: number | string;
                offset?: number | string;
                scope?: string;
                user?: number;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Activity"][];
                    };
                };
            };
        };
    };
    app_metrics_retrieve: {
        parameters: {
            query?: {
                date_from?: string;
                date_to?: string;
            };
            header?: never;
            path: {
                batch_export_id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportMetrics"];
                };
            };
        };
    };
    batch_exports_list: {
        parameters: {
            query?: {
                limit?: number | string;
                offset?: number | string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["BatchExport"][];
                    };
                };
            };
        };
    };
    batch_exports_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBatchExport"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExport"];
                };
            };
        };
    };
    batch_exports_backfills_list: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                ordering?: "created_at" | "-created_at" | "start_at" | "-start_at";
            };
            header?: never;
            path: {
                batch_export_id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Backfill"][];
                    };
                };
            };
        };
    };
    batch_exports_backfills_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_export_id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBackfill"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackfillPreview"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackfillId"] | components["schemas"]["Backfill"];
                };
            };
        };
    };
    batch_exports_backfills_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_export_id: string;
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backfill"];
                };
            };
        };
    };
    batch_exports_backfills_cancel_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_export_id: string;
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cancelled"];
                };
            };
        };
    };
    batch_exports_foreign_deliveries_list: {
        parameters: {
            query?: {
                after?: string;
            };
            header?: never;
            path: {
                batch_export_id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: components["schemas"]["ForeignDelivery"][];
                    };
                };
            };
        };
    };
    batch_exports_foreign_deliveries_accept_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_export_id: string;
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    side: "theirs" | "ours";
                };
            };
        };
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    batch_exports_runs_list: {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                cursor?: string;
                end?: string;
                limit?: number;
                ordering?: "created_at" | "-created_at" | "data_interval_start" | "-data_interval_start";
                start?: string;
                status?: ("Starting" | "Running" | "Completed" | "Failed" | "FailedRetryable" | "Cancelled" | "Terminated" | "TimedOut" | "ContinuedAsNew")[];
            };
            header?: never;
            path: {
                batch_export_id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["BatchExportRun"][];
                    };
                };
            };
        };
    };
    batch_exports_runs_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_export_id: string;
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportRun"];
                };
            };
        };
    };
    batch_exports_runs_attempts_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_export_id: string;
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunAttempts"];
                };
            };
        };
    };
    batch_exports_runs_cancel_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_export_id: string;
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cancelled"];
                };
            };
        };
    };
    batch_exports_runs_diagnosis_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_export_id: string;
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDiagnosis"];
                };
            };
        };
    };
    batch_exports_runs_logs_list: {
        parameters: {
            query?: {
                after?: string;
                attempt?: number;
                before?: string;
                cursor?: string;
                format?: "json" | "text";
                instance_id?: string;
                level?: string[];
                limit?: number;
                offset?: number;
                search?: string;
            };
            header?: never;
            path: {
                batch_export_id: string;
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number | null;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["LogEntry"][];
                    };
                };
            };
        };
    };
    batch_exports_runs_progress_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_export_id: string;
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunProgress"];
                };
            };
        };
    };
    batch_exports_runs_retry_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_export_id: string;
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    batch_exports_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExport"];
                };
            };
        };
    };
    batch_exports_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchExportPut"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExport"];
                };
            };
        };
    };
    batch_exports_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    batch_exports_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BatchExportPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExport"];
                };
            };
        };
    };
    batch_exports_access_controls_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessControls"];
                };
            };
        };
    };
    batch_exports_access_controls_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccessControlPut"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessControl"];
                };
            };
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    batch_exports_backfill_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBackfill"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    batch_exports_intervals_list: {
        parameters: {
            query?: {
                cursor?: string;
                end?: string;
                limit?: number;
                start?: string;
                status?: ("missing" | "failed" | "stale" | "delivered" | "running" | "expired")[];
            };
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["DataInterval"][];
                    };
                };
            };
        };
    };
    batch_exports_intervals_map_retrieve: {
        parameters: {
            query?: {
                bucket?: string;
                end?: string;
                start?: string;
            };
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntervalMap"];
                };
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    batch_exports_logs_list: {
        parameters: {
            query?: {
                after?: string;
                attempt?: number;
                before?: string;
                cursor?: string;
                format?: "json" | "text";
                instance_id?: string;
                level?: string[];
                limit?: number;
                offset?: number;
                search?: string;
            };
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number | null;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["LogEntry"][];
                    };
                };
            };
        };
    };
    batch_exports_pause_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewPause"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    batch_exports_preview_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BatchExportPatchPreview"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportPreview"];
                };
            };
        };
    };
    batch_exports_run_test_step_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TestStep"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestedStep"];
                };
            };
        };
    };
    batch_exports_unpause_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Unpause"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    batch_exports_users_with_access_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsersWithAccess"];
                };
            };
        };
    };
    batch_exports_bulk_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkAction"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkResults"];
                };
            };
        };
    };
    batch_exports_destinations_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Destinations"];
                };
            };
        };
    };
    batch_exports_overview_list: {
        parameters: {
            query?: {
                limit?: number | string;
                offset?: number | string;
                search?: string;
                state?: ("needs_you" | "retrying" | "behind" | "paused" | "on_time")[];
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportsOverview"];
                };
            };
        };
    };
    batch_exports_preview_new_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBatchExportPreview"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchExportPreview"];
                };
            };
        };
    };
    batch_exports_run_test_step_new_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTestStep"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestedStep"];
                };
            };
        };
    };
    batch_exports_schedule_preview_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SchedulePreviewRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SchedulePreview"];
                };
            };
        };
    };
    batch_exports_test_retrieve: {
        parameters: {
            query?: {
                destination?: string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestSteps"];
                };
            };
        };
    };
    cohorts_list: {
        parameters: {
            query?: {
                limit?: number | string;
                offset?: number | string;
                search?: string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Cohort"][];
                    };
                };
            };
        };
    };
    cohorts_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCohort"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedCohort"];
                };
            };
        };
    };
    cohorts_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cohort"];
                };
            };
        };
    };
    cohorts_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CohortPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedCohort"];
                };
            };
        };
    };
    cohorts_activity_list: {
        parameters: {
            query?: {
                limit?: number | string;
                offset?: number | string;
            };
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Activity"][];
                    };
                };
            };
        };
    };
    cohorts_add_persons_to_static_cohort_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    person_ids: string[];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        added: number;
                        /** @constant */
                        success: true;
                        unknown: string[];
                        unknown_count: number;
                    };
                };
            };
        };
    };
    cohorts_persons_list: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Person"][];
                    };
                };
            };
        };
    };
    cohorts_remove_person_from_static_cohort_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    person_id: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
        };
    };
    dashboards_list: {
        parameters: {
            query?: {
                creation_mode?: string;
                exclude_generated?: boolean;
                limit?: number | string;
                offset?: number | string;
                search?: string;
                tags?: string[];
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["ListedDashboard"][];
                    };
                };
            };
        };
    };
    dashboards_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewDashboard"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
        };
    };
    dashboards_collaborators_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                dashboard_id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collaborator"][];
                };
            };
        };
    };
    dashboards_collaborators_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                dashboard_id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCollaborator"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collaborator"];
                };
            };
        };
    };
    dashboards_collaborators_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                dashboard_id: number;
                project_id: number | "@current";
                user__uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    dashboards_sharing_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                dashboard_id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharingConfiguration"];
                };
            };
        };
    };
    dashboards_sharing_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                dashboard_id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangedSharing"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharingConfiguration"];
                };
            };
        };
    };
    dashboards_sharing_passwords_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                dashboard_id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewSharePassword"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharePassword"];
                };
            };
        };
    };
    dashboards_sharing_passwords_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                dashboard_id: string;
                password_id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    dashboards_sharing_refresh_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                dashboard_id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharingConfiguration"];
                };
            };
        };
    };
    dashboards_retrieve: {
        parameters: {
            query?: {
                filters_override?: string;
                refresh?: string;
                tile_filters_override?: string;
                variables_override?: string;
            };
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
        };
    };
    dashboards_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DashboardPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
        };
    };
    dashboards_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    dashboards_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DashboardPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
        };
    };
    dashboards_access_controls_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessControls"];
                };
            };
        };
    };
    dashboards_access_controls_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccessControlPut"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessControl"];
                };
            };
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    dashboards_copy_tile_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CopiedTile"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
        };
    };
    dashboards_create_text_tile_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    body: string;
                    color?: string | null;
                    layouts?: {
                        [key: string]: unknown;
                    } | null;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardTile"];
                };
            };
        };
    };
    dashboards_delete_tile_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeletedTile"];
            };
        };
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    dashboards_move_tile_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MovedTile"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    dashboards_move_tile_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MovedTile"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    dashboards_reorder_tiles_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TileOrder"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
        };
    };
    dashboards_run_insights_list: {
        parameters: {
            query?: {
                filters_override?: string;
                refresh?: string;
                tile_filters_override?: string;
                variables_override?: string;
            };
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: components["schemas"]["InsightRun"][];
                    };
                };
            };
        };
    };
    dashboards_stream_tiles_retrieve: {
        parameters: {
            query?: {
                filters_override?: string;
                refresh?: string;
                tile_filters_override?: string;
                variables_override?: string;
            };
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    dashboards_update_text_tile_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    body?: string;
                    color?: string | null;
                    layouts?: {
                        [key: string]: unknown;
                    } | null;
                    tile_id: number;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardTile"];
                };
            };
        };
    };
    dashboards_users_with_access_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsersWithAccess"];
                };
            };
        };
    };
    dashboards_create_from_template_json_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    template: components["schemas"]["DashboardTemplate"];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
        };
    };
    dashboards_create_unlisted_dashboard_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    tag?: string;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
        };
    };
    early_access_feature_list: {
        parameters: {
            query?: {
                limit?: number | string;
                offset?: number | string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["EarlyAccessFeature"][];
                    };
                };
            };
        };
    };
    early_access_feature_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewEarlyAccessFeature"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EarlyAccessFeature"];
                };
            };
        };
    };
    early_access_feature_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EarlyAccessFeature"];
                };
            };
        };
    };
    early_access_feature_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    early_access_feature_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EarlyAccessFeaturePatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EarlyAccessFeature"];
                };
            };
        };
    };
    erasures_list: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Erasure"][];
                    };
                };
            };
        };
    };
    erasures_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
        };
    };
    erasures_deliveries_list: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                state?: ("held" | "clean" | "remainder" | "not_searched" | "handled")[];
            };
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["ErasedDelivery"][];
                    };
                };
            };
        };
    };
    erasures_mark_handled_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uuid */
                    batch_export_id: string;
                    /** Format: date-time */
                    data_interval_end?: string;
                    /** Format: date-time */
                    data_interval_start?: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
        };
    };
    events_list: {
        parameters: {
            query?: {
                after?: string;
                before?: string;
                cursor?: string;
                distinct_id?: string;
                event?: string;
                limit?: number;
                person_id?: string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Event"][];
                    };
                };
            };
        };
    };
    events_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    experiment_holdouts_list: {
        parameters: {
            query?: {
                limit?: number | string;
                offset?: number | string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Holdout"][];
                    };
                };
            };
        };
    };
    experiment_holdouts_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewHoldout"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Holdout"];
                };
            };
        };
    };
    experiment_holdouts_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Holdout"];
                };
            };
        };
    };
    experiment_holdouts_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    experiment_holdouts_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["HoldoutPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Holdout"];
                };
            };
        };
    };
    experiments_list: {
        parameters: {
            query?: {
                archived?: boolean;
                feature_flag_id?: number;
                limit?: number | string;
                offset?: number | string;
                search?: string;
                status?: "draft" | "scheduled" | "running" | "stopped" | "complete" | "ended" | "all";
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Experiment"][];
                    };
                };
            };
        };
    };
    experiments_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewExperiment"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Experiment"];
                };
            };
        };
    };
    experiments_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Experiment"];
                };
            };
        };
    };
    experiments_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ExperimentPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Experiment"];
                };
            };
        };
    };
    experiments_results_retrieve: {
        parameters: {
            query?: {
                refresh?: boolean;
            };
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExperimentResults"];
                };
            };
        };
    };
    feature_flags_list: {
        parameters: {
            query?: {
                active?: "true" | "false" | "STALE";
                created_by_id?: number;
                evaluation_runtime?: "all" | "client" | "server";
                limit?: number | string;
                offset?: number | string;
                order?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "key" | "-key" | "name" | "-name" | "active" | "-active" | "id" | "-id";
                search?: string;
                tags?: string;
                type?: "boolean" | "multivariant" | "experiment" | "remote_config";
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["FeatureFlag"][];
                    };
                };
            };
        };
    };
    feature_flags_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewFeatureFlag"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeatureFlag"];
                };
            };
        };
    };
    feature_flags_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeatureFlag"];
                };
            };
        };
    };
    feature_flags_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FeatureFlagPut"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeatureFlag"];
                };
            };
        };
    };
    feature_flags_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["FeatureFlagPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeatureFlag"];
                };
            };
        };
    };
    feature_flags_access_controls_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessControls"];
                };
            };
        };
    };
    feature_flags_access_controls_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccessControlPut"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessControl"];
                };
            };
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    feature_flags_activity_list: {
        parameters: {
            query?: {
                limit?: number | string;
                offset?: number | string;
            };
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Activity"][];
                    };
                };
            };
        };
    };
    feature_flags_status_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        reason: string;
                        /** @enum {string} */
                        status: "active" | "inactive" | "stale" | "deleted";
                    };
                };
            };
        };
    };
    feature_flags_users_with_access_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsersWithAccess"];
                };
            };
        };
    };
    feature_flags_remote_config_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string | null;
                };
            };
        };
    };
    feature_flags_all_activity_list: {
        parameters: {
            query?: {
                limit?: number | string;
                offset?: number | string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Activity"][];
                    };
                };
            };
        };
    };
    feature_flags_evaluate_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlagEvaluationOf"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlagEvaluation"];
                };
            };
        };
    };
    feature_flags_evaluation_reasons_retrieve: {
        parameters: {
            query: {
                distinct_id: string;
                groups?: string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: {
                            evaluation: {
                                condition_index: number | null;
                                reason: string;
                            };
                            value: boolean | string;
                        };
                    };
                };
            };
        };
    };
    feature_flags_local_evaluation_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlagDefinitions"];
                };
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    feature_flags_my_flags_list: {
        parameters: {
            query?: {
                groups?: string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        feature_flag: {
                            [key: string]: unknown;
                        };
                        value: boolean | string;
                    }[];
                };
            };
        };
    };
    feature_flags_requests_list: {
        parameters: {
            query?: {
                date_from?: string;
                date_to?: string;
                key?: string;
                kind?: "decide" | "definitions" | "ofrep";
                limit?: number | string;
                offset?: number | string;
                sdk?: string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["FlagRequests"][];
                    };
                };
            };
        };
    };
    feature_flags_usage_list: {
        parameters: {
            query?: {
                date_from?: string;
                date_to?: string;
                key?: string;
                limit?: number | string;
                offset?: number | string;
                timezone?: string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["FlagUsage"][];
                    };
                };
            };
        };
    };
    feature_flags_user_blast_radius_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BlastRadiusOf"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        total_users: number;
                        users_affected: number;
                    };
                };
            };
        };
    };
    global_access_controls_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessControls"];
                };
            };
        };
    };
    global_access_controls_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResourceAccessControlPut"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessControl"];
                };
            };
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    groups_types_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupType"][];
                };
            };
        };
    };
    groups_types_update_metadata_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    group_type_index: number;
                    name_plural?: string | null;
                    name_singular?: string | null;
                }[];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupType"][];
                };
            };
        };
    };
    groups_list: {
        parameters: {
            query: {
                cursor?: string;
                group_type_index: number;
                limit?: number;
                search?: string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Group"][];
                    };
                };
            };
        };
    };
    groups_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewGroup"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
        };
    };
    groups_delete_property_create: {
        parameters: {
            query: {
                group_key: string;
                group_type_index: number;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    $unset: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
        };
    };
    groups_find_retrieve: {
        parameters: {
            query: {
                group_key: string;
                group_type_index: number;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
        };
    };
    groups_update_property_create: {
        parameters: {
            query: {
                group_key: string;
                group_type_index: number;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    key: string;
                    value: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
        };
    };
    ingestion_warnings_list: {
        parameters: {
            query?: {
                date_from?: string;
                date_to?: string;
                limit?: number | string;
                offset?: number | string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["IngestionWarning"][];
                    };
                };
            };
        };
    };
    insights_list: {
        parameters: {
            query?: {
                basic?: boolean;
                created_by?: number;
                dashboard?: number;
                favorited?: boolean;
                limit?: number | string;
                offset?: number | string;
                order?: "last_modified_at" | "-last_modified_at" | "created_at" | "-created_at" | "name" | "-name" | "id" | "-id";
                refresh?: string;
                saved?: boolean;
                search?: string;
                short_id?: string;
                tags?: string[];
                user?: boolean;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: (components["schemas"]["Insight"] | components["schemas"]["BasicInsight"])[];
                    };
                };
            };
        };
    };
    insights_create: {
        parameters: {
            query?: {
                refresh?: string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["GivenInsight"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Insight"];
                };
            };
        };
    };
    insights_retrieve: {
        parameters: {
            query?: {
                filters_override?: string;
                from_dashboard?: number;
                refresh?: string;
                tile_filters_override?: string;
                variables_override?: string;
            };
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Insight"];
                };
            };
        };
    };
    insights_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    insights_partial_update: {
        parameters: {
            query?: {
                refresh?: string;
            };
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["GivenInsight"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Insight"];
                };
            };
        };
    };
    insights_access_controls_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessControls"];
                };
            };
        };
    };
    insights_access_controls_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccessControlPut"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessControl"];
                };
            };
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    insights_users_with_access_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsersWithAccess"];
                };
            };
        };
    };
    insights_sharing_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                insight_id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharingConfiguration"];
                };
            };
        };
    };
    insights_sharing_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                insight_id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangedSharing"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharingConfiguration"];
                };
            };
        };
    };
    insights_sharing_passwords_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                insight_id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewSharePassword"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharePassword"];
                };
            };
        };
    };
    insights_sharing_passwords_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                insight_id: string;
                password_id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    insights_sharing_refresh_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                insight_id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharingConfiguration"];
                };
            };
        };
    };
    integrations_list: {
        parameters: {
            query?: {
                limit?: number | string;
                offset?: number | string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Integration"][];
                    };
                };
            };
        };
    };
    integrations_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewIntegration"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
        };
    };
    integrations_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
        };
    };
    integrations_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    integrations_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntegrationPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
        };
    };
    live_retrieve: {
        parameters: {
            query?: {
                last_event_id?: string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    persons_list: {
        parameters: {
            query?: {
                cursor?: string;
                distinct_id?: string;
                limit?: number;
                search?: string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Person"][];
                    };
                };
            };
        };
    };
    persons_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Person"];
                };
            };
        };
    };
    persons_destroy: {
        parameters: {
            query?: {
                delete_events?: boolean;
            };
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    persons_bulk_delete_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    delete_events?: boolean;
                    distinct_ids?: string[];
                    ids?: string[];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        persons_deleted: number;
                    };
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
        };
    };
    project_secret_api_keys_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectSecretApiKey"][];
                };
            };
        };
    };
    project_secret_api_keys_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewProjectSecretApiKey"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectSecretApiKey"];
                };
            };
        };
    };
    project_secret_api_keys_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectSecretApiKey"];
                };
            };
        };
    };
    project_secret_api_keys_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    project_secret_api_keys_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProjectSecretApiKeyPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectSecretApiKey"];
                };
            };
        };
    };
    project_secret_api_keys_roll_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    grace_seconds?: number;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectSecretApiKey"];
                };
            };
        };
    };
    query_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QueryRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueryAnswer"];
                };
            };
        };
    };
    reset_token_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    resource_access_controls_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessControls"];
                };
            };
        };
    };
    resource_access_controls_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResourceAccessControlPut"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessControl"];
                };
            };
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    storage_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectStorage"];
                };
            };
        };
    };
    surveys_list: {
        parameters: {
            query?: {
                limit?: number | string;
                offset?: number | string;
                search?: string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Survey"][];
                    };
                };
            };
        };
    };
    surveys_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSurvey"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Survey"];
                };
            };
        };
    };
    surveys_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Survey"];
                };
            };
        };
    };
    surveys_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SurveyPut"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Survey"];
                };
            };
        };
    };
    surveys_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    surveys_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SurveyPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Survey"];
                };
            };
        };
    };
    surveys_stats_retrieve: {
        parameters: {
            query?: {
                date_from?: string;
                date_to?: string;
            };
            header?: never;
            path: {
                id: string;
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SurveyStats"];
                };
            };
        };
    };
    surveys_responses_count_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: number;
                    };
                };
            };
        };
    };
    surveys_all_stats_retrieve: {
        parameters: {
            query?: {
                date_from?: string;
                date_to?: string;
            };
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        rates: {
                            dismissal_rate: number;
                            response_rate: number;
                            unique_users_dismissal_rate: number;
                            unique_users_response_rate: number;
                        };
                        stats: {
                            [key: string]: {
                                first_seen: string | null;
                                last_seen: string | null;
                                total_count: number;
                                total_count_only_seen: number;
                                unique_persons: number;
                                unique_persons_only_seen: number;
                            };
                        };
                    };
                };
            };
        };
    };
    feature_flag_local_evaluation_retrieve: {
        parameters: {
            query?: {
                personal_api_key?: string;
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlagDefinitions"];
                };
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    instance_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Instance"];
                };
            };
        };
    };
    login_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Login"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
        };
    };
    login_link_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginByLink"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
        };
    };
    logout_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    organizations_list: {
        parameters: {
            query?: {
                limit?: number | string;
                offset?: number | string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Organization"][];
                    };
                };
            };
        };
    };
    organizations_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    organizations_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: string | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    organizations_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: string | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OrganizationPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    organizations_activity_log_list: {
        parameters: {
            query?: {
                item_id?: string;
                limit?: number | string;
                offset?: number | string;
                scope?: string;
                user?: number;
            };
            header?: never;
            path: {
                organization_id: string | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Activity"][];
                    };
                };
            };
        };
    };
    organizations_invites_list: {
        parameters: {
            query?: {
                limit?: number | string;
                offset?: number | string;
            };
            header?: never;
            path: {
                organization_id: string | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["OrganizationInvite"][];
                    };
                };
            };
        };
    };
    organizations_invites_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: string | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationInviteIn"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationInvite"];
                };
            };
        };
    };
    organizations_invites_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                organization_id: string | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    organizations_invites_bulk_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: string | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationInviteIn"][];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationInvite"][];
                };
            };
        };
    };
    organizations_members_list: {
        parameters: {
            query?: {
                limit?: number | string;
                offset?: number | string;
            };
            header?: never;
            path: {
                organization_id: string | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["OrganizationMember"][];
                    };
                };
            };
        };
    };
    organizations_members_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: string | "@current";
                user__uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationMember"];
                };
            };
        };
    };
    organizations_members_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: string | "@current";
                user__uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    organizations_members_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: string | "@current";
                user__uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrganizationMemberPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationMember"];
                };
            };
        };
    };
    organizations_projects_list: {
        parameters: {
            query?: {
                limit?: number | string;
                offset?: number | string;
                search?: string;
            };
            header?: never;
            path: {
                organization_id: string | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Project"][];
                    };
                };
            };
        };
    };
    organizations_projects_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: string | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProjectCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    organizations_roles_list: {
        parameters: {
            query?: {
                limit?: number | string;
                offset?: number | string;
            };
            header?: never;
            path: {
                organization_id: string | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Role"][];
                    };
                };
            };
        };
    };
    organizations_roles_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: string | "@current";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoleIn"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
        };
    };
    organizations_roles_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                organization_id: string | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
        };
    };
    organizations_roles_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                organization_id: string | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    organizations_roles_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                organization_id: string | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RolePatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
        };
    };
    organizations_roles_role_memberships_list: {
        parameters: {
            query?: {
                limit?: number | string;
                offset?: number | string;
            };
            header?: never;
            path: {
                organization_id: string | "@current";
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["RoleMembership"][];
                    };
                };
            };
        };
    };
    organizations_roles_role_memberships_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: string | "@current";
                role_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoleMembershipIn"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleMembership"];
                };
            };
        };
    };
    organizations_roles_role_memberships_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                organization_id: string | "@current";
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    personal_api_keys_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalApiKey"][];
                };
            };
        };
    };
    personal_api_keys_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPersonalApiKey"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalApiKey"];
                };
            };
        };
    };
    personal_api_keys_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalApiKey"];
                };
            };
        };
    };
    personal_api_keys_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    personal_api_keys_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PersonalApiKeyPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalApiKey"];
                };
            };
        };
    };
    personal_api_keys_roll_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    grace_seconds?: number;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalApiKey"];
                };
            };
        };
    };
    projects_list: {
        parameters: {
            query?: {
                limit?: number | string;
                offset?: number | string;
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        count: number;
                        next: string | null;
                        previous: string | null;
                        results: components["schemas"]["Project"][];
                    };
                };
            };
        };
    };
    projects_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProjectCreate"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    projects_retrieve: {
        parameters: {
            query?: {
                token?: string;
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    projects_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProjectPatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    reset_availability_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resets"];
                };
            };
        };
    };
    reset_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetRequest"];
            };
        };
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    reset_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reset"];
                };
            };
        };
    };
    reset_complete_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetCompletion"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResetCompleted"];
                };
            };
        };
    };
    signup_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invite_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignupInvite"];
                };
            };
        };
    };
    signup_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invite_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Signup"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    published_surveys_list: {
        parameters: {
            query?: {
                api_key?: string;
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        survey_config: null;
                        surveys: components["schemas"]["PublishedSurvey"][];
                    };
                };
            };
        };
    };
    users_me_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    users_me_partial_update: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["MePatch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    users_me_sessions_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"][];
                };
            };
        };
    };
    users_me_sessions_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    users_me_sessions_end_others_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndedSessions"];
                };
            };
        };
    };
    web_experiments_list: {
        parameters: {
            query?: {
                api_key?: string;
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        experiments: unknown[];
                    };
                };
            };
        };
    };
    flags_definitions_retrieve: {
        parameters: {
            query?: {
                personal_api_key?: string;
                token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlagDefinitions"];
                };
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
