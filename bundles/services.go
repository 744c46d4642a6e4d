package bundles

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/config"
	"github.com/open-policy-agent/opa/v1/hooks"
	"github.com/open-policy-agent/opa/v1/plugins"
	opabundle "github.com/open-policy-agent/opa/v1/plugins/bundle"
	"github.com/open-policy-agent/opa/v1/plugins/discovery"
	"github.com/open-policy-agent/opa/v1/util"
)

// managerID is this program's name in OPA's requests to services.
const managerID = "policyd"

// services fetch bundles: OPA's plugin manager with its bundle, discovery and status
// plugins. What they fetch is activated in the engine's store.
type services struct {
	engine    *Engine
	manager   *plugins.Manager
	discovery *discovery.Discovery
	dir       string
	*masker

	mu         sync.Mutex
	transports map[string]bool
	listening  bool
	closed     sync.Once
}

// newServices checks the configuration and makes the plugins, which don't run yet.
func newServices(e *Engine) (*services, error) {
	configured, err := newConfiguration(e.options.Services, e.options.PersistDir)
	if err != nil {
		return nil, err
	}
	raw, err := configured.raw()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(e.options.PersistDir, 0o700); err != nil {
		return nil, fmt.Errorf("make directory for bundles: %w", err)
	}
	register()
	s := &services{engine: e, dir: e.options.PersistDir, transports: map[string]bool{}, masker: &masker{}}
	s.manager, err = plugins.New(raw, managerID, e.store,
		plugins.Logger(&logger{e.options.Logger, s.masker}),
		plugins.ConsoleLogger(&logger{e.options.Logger, s.masker}),
		plugins.WithParserOptions(ast.ParserOptions{RegoVersion: ast.RegoV1}))
	if err != nil {
		return nil, err
	}
	if unknown := s.manager.GetConfig().Warnings; len(unknown) > 0 {
		s.close()
		return nil, errors.New(strings.Join(unknown, "; "))
	}
	s.expect(configured)
	s.discovery, err = discovery.New(s.manager, discovery.Hooks(hooks.New(&discovered{s})), discovery.BootConfig(configured.values))
	if err != nil {
		s.close()
		return nil, err
	}
	s.manager.Register(discovery.Name, s.discovery)
	s.discovery.RegisterListener(managerID, s.discoveryChanged)
	for _, name := range slices.Sorted(maps.Keys(configured.files)) {
		if err := s.watchFile(name, configured.files[name]); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// expect makes the transports of services and stores which bundles are required.
func (s *services) expect(c *configuration) {
	s.add(c.values)
	s.mu.Lock()
	for _, name := range c.services() {
		if plugin := transportName(name); !s.transports[plugin] {
			s.transports[plugin] = true
			s.manager.Register(plugin, &transport{patience: s.engine.options.BodyPatience, most: maxBundleBytes})
		}
	}
	s.mu.Unlock()
	for _, name := range c.names {
		s.engine.expect(name)
		s.engine.update(name, func(one *BundleStatus) {
			one.SignatureRequired, one.File = c.signed[name], c.files[name]
		})
	}
}

func (s *services) start(ctx context.Context) error {
	s.listen()
	if err := s.manager.Start(ctx); err != nil {
		return fmt.Errorf("start bundle plugins: %w", err)
	}
	s.listen() // a configuration that was kept on disk has made the plugin by now
	return nil
}

// listen subscribes to the result of each fetch. It does nothing while there is no bundle plugin, or if it is
// subscribed already.
func (s *services) listen() {
	plugin := opabundle.Lookup(s.manager)
	s.mu.Lock()
	late := plugin == nil || s.listening
	s.listening = plugin != nil
	s.mu.Unlock()
	if !late {
		plugin.Register(managerID, s.fetched)
	}
}

// fetched handles OPA's status of the latest fetch of a bundle.
func (s *services) fetched(status opabundle.Status) {
	name := status.Name
	switch {
	case status.Code == "":
		s.engine.confirmed(name, s.persistedPath(name))
	case status.LastSuccessfulRequest.Before(status.LastRequest):
		// It never got as far as the engine.
		s.engine.failed(name, refuse(name, CheckFetch, errors.New(s.messageOf(&status))), unreachable(&status))
	default:
		s.engine.failedAfterwards(name, s.messageOf(&status))
	}
}

// unreachable reports whether there was no answer at all, or none with a bundle. Without an HTTP status, only the
// text of OPA's error shows it.
func unreachable(status *opabundle.Status) bool {
	return status.HTTPCode != "" || strings.HasPrefix(status.Message, "request failed: ") || strings.HasPrefix(status.Message, "failed to pull ")
}

func (s *services) messageOf(status *opabundle.Status) string {
	texts := []string{status.Message}
	for _, err := range status.Errors {
		texts = append(texts, err.Error())
	}
	return s.mask(strings.Join(texts, "; "))
}

// configured reports whether the required bundles are known.
func (s *services) configured() bool {
	return s.manager.GetConfig().Discovery == nil || opabundle.Lookup(s.manager) != nil
}

// poll polls the services with a manual trigger: OPA polls the others, and polls must not be concurrent.
func (s *services) poll(ctx context.Context) error {
	var failures []error
	if mode := s.discovery.TriggerMode(); mode != nil && *mode == plugins.TriggerManual {
		failures = append(failures, s.discovery.Trigger(ctx))
	}
	plugin := opabundle.Lookup(s.manager)
	if plugin == nil {
		return errors.Join(failures...)
	}
	for name, source := range plugin.Config().Bundles {
		loader, there := plugin.Loaders()[name]
		if there && source.Trigger != nil && *source.Trigger == plugins.TriggerManual {
			failures = append(failures, loader.Trigger(ctx))
		}
	}
	return errors.Join(failures...)
}

// watchFile has a bundle read again when its file changes. OPA reads it once.
func (s *services) watchFile(name, place string) error {
	if !s.engine.options.Watch {
		return nil
	}
	w, err := s.engine.watch(place)
	if err != nil {
		return err
	}
	w.start(s.engine, func(ctx context.Context) error {
		plugin := opabundle.Lookup(s.manager)
		if plugin == nil {
			return nil
		}
		loader, there := plugin.Loaders()[name]
		if !there {
			return nil
		}
		return loader.Trigger(ctx)
	})
	return nil
}

// persistedPath is where OPA stores a bundle for the next start.
func (s *services) persistedPath(name string) string {
	return filepath.Join(s.dir, "bundles", name, "bundle.tar.gz")
}

func (s *services) close() {
	s.closed.Do(func() {
		if s.manager != nil {
			s.manager.Stop(context.Background())
		}
	})
}

func (s *services) discoveryChanged(status opabundle.Status) {
	s.listen()
	if status.Code != "" {
		s.engine.misconfigured(refuse(discovery.Name, CheckFetch, errors.New(s.messageOf(&status))))
		return
	}
	s.engine.misconfigured(nil)
}

var _ hooks.ConfigDiscoveryHook = (*discovered)(nil)

// discovered applies the rules for the settings to a discovered configuration.
type discovered struct{ services *services }

// OnConfigDiscovery implements hooks.ConfigDiscoveryHook.
func (d *discovered) OnConfigDiscovery(_ context.Context, found *config.Config) (*config.Config, error) {
	values, err := valuesOf(found)
	if err != nil {
		return nil, err
	}
	boot, err := plainSettings(d.services.engine.options.Services)
	if err != nil {
		return nil, err
	}
	// Keys of the settings apply to the discovered configuration, too.
	values["keys"] = mergeObjects(values["keys"], boot["keys"])
	checked, err := newConfiguration(values, d.services.dir)
	if err != nil {
		return nil, err
	}
	raw, err := checked.raw()
	if err != nil {
		return nil, err
	}
	complete, err := config.ParseConfig(raw, managerID)
	if err != nil {
		return nil, err
	}
	d.services.expect(checked)
	return complete, nil
}

// confirmed records that a service confirmed its last bundle. A refusal stays until another bundle becomes
// active: the confirmation may be about the refused one.
func (e *Engine) confirmed(name, kept string) {
	now := e.options.Now()
	e.update(name, func(one *BundleStatus) {
		if one.unreachable {
			one.Check, one.LastError, one.unreachable = "", "", false
		}
		if one.File == "" {
			one.ConfirmedAt, one.Restored = now, false
		}
	})
	// So that the next start knows the age of the bundle. Without a stored bundle there is no file.
	_ = os.Chtimes(kept, now, now)
}

// failed records that a bundle was refused, or not fetched because its service is unreachable.
func (e *Engine) failed(name string, err error, away bool) {
	check := CheckFetch
	var refusal *RefusalError
	if errors.As(err, &refusal) {
		check = refusal.Check
	}
	e.update(name, func(one *BundleStatus) {
		one.Check, one.LastError, one.unreachable = check, err.Error(), away
		one.Failures++
	})
}

// failedAfterwards handles OPA's status of a bundle that it passed to the engine. If the engine refused it,
// that is recorded already.
func (e *Engine) failedAfterwards(name, message string) {
	e.update(name, func(one *BundleStatus) {
		if one.LastError == "" {
			one.Check, one.LastError = CheckFetch, refuse(name, CheckFetch, errors.New(message)).Error()
			one.Failures++
		}
	})
}

// misconfigured states what is wrong with a discovered configuration, nil for nothing.
func (e *Engine) misconfigured(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.configuring = ""
	if err != nil {
		e.configuring = err.Error()
	}
}

// expect makes a bundle required.
func (e *Engine) expect(name string) { e.update(name, func(*BundleStatus) {}) }

func (e *Engine) update(name string, change func(*BundleStatus)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	one, known := e.remotes[name]
	if !known {
		one = &BundleStatus{Name: name}
		e.remotes[name] = one
	}
	change(one)
	e.renewAge()
}

// restored records that a bundle becomes active. Until its service answers, it counts as stored on disk, with
// the age of its file.
func (e *Engine) restored(one *BundleStatus) {
	if e.services == nil || one.File != "" || !one.ConfirmedAt.IsZero() {
		return
	}
	one.Restored = true
	one.ConfirmedAt = e.options.Now()
	if info, err := os.Stat(e.services.persistedPath(one.Name)); err == nil {
		one.ConfirmedAt = info.ModTime()
	}
}

// valuesOf are the parts of a discovered configuration, whose defaults OPA has filled in.
func valuesOf(found *config.Config) (map[string]any, error) {
	if found.DecisionLogs != nil || found.Bundle != nil || len(found.Plugins) > 0 || found.Server != nil || found.Storage != nil {
		return nil, fmt.Errorf("the discovered configuration may hold only %s", strings.Join(configurationKeys(), ", "))
	}
	values := map[string]any{}
	for key, raw := range map[string]json.RawMessage{
		"bundles": found.Bundles, "keys": found.Keys, "services": found.Services, "status": found.Status,
	} {
		if raw == nil {
			continue
		}
		var value any
		if err := util.UnmarshalJSON(raw, &value); err != nil {
			return nil, fmt.Errorf("read discovered %s: %w", key, err)
		}
		values[key] = value
	}
	return values, nil
}

// mergeObjects merges one object over another.
func mergeObjects(base, over any) map[string]any {
	below, _ := base.(map[string]any)
	above, _ := over.(map[string]any)
	if below == nil {
		below = map[string]any{}
	}
	return merge(below, above)
}
